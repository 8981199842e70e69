"""Attacks by what they meet: a folder each, and the tests that carry it out."""
