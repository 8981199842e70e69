"""Tables of example problems, by area and status; ``problem_examples`` finds in them."""
