"""What a claim takes out of a sentence of its source, and what that changes."""
