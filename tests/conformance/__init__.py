"""Vectors that others published, through our own code; the folder SPANPROOF_TEST_DATA has them.

    python -m tests.conformance

counts them and writes docs/reference/conformance.md anew.
"""
