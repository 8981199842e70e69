"""Versions of retrieval indexes: their manifests, and the citations that depend on them."""
