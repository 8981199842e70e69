"""What was erased, and what its rows and blobs may lose once a leaf of the log says so."""
