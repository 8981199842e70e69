"""Slots: details in which a claim must not differ from its source. See ``compare``."""

from spanproof.verifier.slots.alignment import DoubtKind
from spanproof.verifier.slots.compare import compare_slots
from spanproof.verifier.slots.coverage import Coverage, measure_coverage
from spanproof.verifier.slots.doubts import doubt_slots
from spanproof.verifier.slots.words import VetoKind

__all__ = [
    "Coverage",
    "DoubtKind",
    "VetoKind",
    "compare_slots",
    "doubt_slots",
    "measure_coverage",
]
