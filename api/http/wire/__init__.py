"""Shapes for OpenAPI; ``verifier.formats.native`` parses answers."""
