"""Quotes that differ from the source as writing does: editorial edits, and cells of one row."""
