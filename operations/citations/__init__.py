"""How answers are asked to cite, and how their citation tokens are read."""
