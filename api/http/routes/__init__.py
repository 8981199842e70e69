"""Routes: each reads the request, calls one use case and writes its report."""
