"""Chunks of other readers, looked for in our text."""
