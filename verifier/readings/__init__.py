"""Sentences that a premise says in another form, written out. See ``written_out``."""

from spanproof.verifier.readings.recast import recast
from spanproof.verifier.readings.sentences import split_flat
from spanproof.verifier.readings.shares import write_alike
from spanproof.verifier.readings.written_out import is_passage, write_out, write_reordered

__all__ = ["is_passage", "recast", "split_flat", "write_alike", "write_out", "write_reordered"]
