"""Extraction measured: speed, growth, the cage, places of glyphs, and what other readers take."""
