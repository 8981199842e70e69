"""Sentences that a premise says in another form, written out. See ``written_out``."""

from spanproof.verifier.readings.sentences import split_flat
from spanproof.verifier.readings.shares import write_alike
from spanproof.verifier.readings.written_out import write_out

__all__ = ["split_flat", "write_alike", "write_out"]
