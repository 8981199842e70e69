"""JSON from outside, read strictly: parsed once, each field taken by its name and type."""
