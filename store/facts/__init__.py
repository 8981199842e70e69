"""What answers are counted and searched by: facts in columns, and an index of their words."""
