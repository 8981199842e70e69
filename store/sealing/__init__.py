"""Content that is encrypted with a key of its own, and the wrapped keys, which may be destroyed."""
