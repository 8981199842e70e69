"""Offline checks of receipts and of whole logs, and the report that they come to."""
