"""What must stay, and what may go."""
