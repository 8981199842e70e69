"""OpenDocument text."""
