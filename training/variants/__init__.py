"""Pairs made by rule from labelled ones: one thing changed, or only the way it is written."""
