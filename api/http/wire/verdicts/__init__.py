"""The verification block and its parts, as they are answered."""
