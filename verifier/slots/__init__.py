"""Slots: what a claim may not say otherwise than its source. See ``compare``."""

from verifier.slots.compare import MAX_SLOT_CHARACTERS, compare_slots

__all__ = ["MAX_SLOT_CHARACTERS", "compare_slots"]
