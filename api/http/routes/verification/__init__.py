"""Routes that verify or attribute an answer, and list what was verified."""
