"""Shapes for OpenAPI only: the parser of answers is ``verifier.formats.native``, not this."""
