"""How a text is cut into chunks: where it may be cut, what belongs together, what fits."""
