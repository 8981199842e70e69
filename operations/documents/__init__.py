"""Documents: ingested, listed, searched, and the places in them."""
