"""What a receipt or an event says: its fields, how they are written, and their strict readers."""
