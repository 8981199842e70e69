"""Whole answers: prompt, stream, display, comparison, feedback and repair."""
