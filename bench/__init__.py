"""Figures, each by one command; none is part of the product."""
