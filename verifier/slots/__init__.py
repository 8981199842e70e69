"""Slots: what a claim may not say otherwise than its source. See ``compare``."""

from verifier.slots.alignment import DoubtKind
from verifier.slots.compare import compare_slots
from verifier.slots.doubts import doubt_slots
from verifier.slots.words import VetoKind

__all__ = ["DoubtKind", "VetoKind", "compare_slots", "doubt_slots"]
