"""Witnesses of a log: their cosignatures, their policy, and how one decides to cosign."""
