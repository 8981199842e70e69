"""The page of one verification."""
