"""Documents, their names and their extractions: added once, found again, never changed."""
