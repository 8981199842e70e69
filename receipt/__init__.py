"""Receipts: evidence that a third party can check without trusting whoever made it."""
