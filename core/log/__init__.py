"""The tree of a transparency log: hashes, proofs, tiles and checkpoints."""
