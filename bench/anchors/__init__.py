"""Re-anchoring on changes whose truth is known, beside fuzzy quotes, and its time."""
