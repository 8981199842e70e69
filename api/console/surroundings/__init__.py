"""A span as its document shows it, where there are no pages to draw: a grid, or rendered blocks."""
