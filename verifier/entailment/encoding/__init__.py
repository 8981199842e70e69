"""A premise and a claim as the token ids that the model gets: spelling, windows, pairs."""
