"""Fitting a calibration to labelled pairs: its numbers, thresholds and bound, and their worth."""
