"""Versions of an index: registered, exported, compared, and checked for drift."""
