"""True quotes of real documents with one protected token changed: none may be accepted."""
