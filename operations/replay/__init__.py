"""Stored verifications and receipts, computed again and compared."""
