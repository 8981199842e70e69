"""Mutation testing: one small change to the code at a time, and whether a test notices.

    python -m tests.faults.mutation core receipt log

Our own, for what is published does not fit: mutmut leaves most decorated functions and whatever
stands outside of a function as it is, and cosmic-ray starts a process of pytest for every mutant.
"""
