"""The stream of answers that people label without seeing what others said of them."""
