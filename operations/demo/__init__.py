"""The demonstration: two documents of our own, an answer that cites them, what must come out."""
