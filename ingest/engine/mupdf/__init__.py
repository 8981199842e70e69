"""PDF by MuPDF: the default engine."""
