"""Receipts: signed while an answer is verified, stored, and checked later."""
