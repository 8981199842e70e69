"""What the door for texts costs: an answer with its contexts, the search for their documents."""
