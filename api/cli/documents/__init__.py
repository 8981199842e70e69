"""The commands that take in, show, cut and erase documents."""
