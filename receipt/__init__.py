"""Receipts: evidence that a third party can check without trusting its maker."""
