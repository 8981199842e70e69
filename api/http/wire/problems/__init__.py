"""Problem documents (RFC 9457) and examples of them."""
