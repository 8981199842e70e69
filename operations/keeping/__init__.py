"""How long evidence is kept, and what must not go: holds and retention."""
