"""Offline checks of receipts and of whole logs, and their report."""
