"""Calibrated probabilities: the fitted numbers, their record and the folder they are kept in."""
