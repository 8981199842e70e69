"""Faults put in on purpose: what the log, the receipts and the tests themselves do about them.

Each experiment is a module with a ``run`` that takes how much of it to do. The tests here do a
little in seconds; ``python -m tests.faults`` ('make faults') does all of it, and
docs/explanation/faults.md has its table.
"""
