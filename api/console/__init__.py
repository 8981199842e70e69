"""The console: pages that a person reads, rendered on the server; nothing loads from elsewhere."""
