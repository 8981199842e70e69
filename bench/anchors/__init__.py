"""Re-anchoring on changes whose truth is known, compared with fuzzy quotes, and its time."""
