"""What computes logits: one module a backend, all behind ``protocol.Backend``."""
