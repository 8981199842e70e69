"""Adapters that collect the tool outputs of frameworks; each imports its framework alone."""
