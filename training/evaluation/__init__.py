"""Figures of a model folder: its readings of labelled pairs, cut and counted."""
