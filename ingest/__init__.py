"""Bytes → Extraction: canonical text, offsets, geometry; the caged parser; page images."""
