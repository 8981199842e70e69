"""A report of a period: what failed, why, and what people decided, as HTML and PDF/A, signed."""
