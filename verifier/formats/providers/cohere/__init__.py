"""Cohere chat, versions 1 and 2."""
