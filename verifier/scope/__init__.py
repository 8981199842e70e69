"""Scope: words that make what they govern less than a statement, and claims that drop them."""
