"""Whatever reads what others wrote, given what nobody meant it to read."""
