"""Blobs in an object store, by fsspec: one bucket for every host, a checked copy on each."""
