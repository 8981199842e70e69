"""Formats that are markers in prose: chunk citations, reference tokens, field markers."""
