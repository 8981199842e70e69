"""The commands that ingest, show, chunk and erase documents."""
