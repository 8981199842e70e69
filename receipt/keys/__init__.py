"""Signing keys, where they are kept, and the trust file that says which of them count."""
