"""Who did what to whom: sentences as lines of steps, and arguments that changed sides."""
