"""The examples, run as a reader runs them, against a model server on loopback."""
