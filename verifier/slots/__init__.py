"""Slots: what a claim may not say otherwise than its source. See ``compare``."""

from verifier.slots.compare import compare_slots
from verifier.slots.words import VetoKind

__all__ = ["VetoKind", "compare_slots"]
