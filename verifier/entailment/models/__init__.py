"""Model folders: their files and digests, registered names, and files derived from the weights."""
