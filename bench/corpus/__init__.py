"""A folder of documents, each read and checked against the invariants."""
