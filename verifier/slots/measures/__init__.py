"""Units, bounds, multiples and times of day: what an amount measures and how far it goes."""
