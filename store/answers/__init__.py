"""Answers and their verification blocks, and the rows to search them by."""
