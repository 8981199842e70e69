"""Does the source support the claim? For one citation, and for several together."""
