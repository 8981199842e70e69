"""Answer + documents + model → VerificationBlock: pure judgement, no IO.

``verify`` is the function; its module, ``verifier.verify``, holds the numbered procedure.
"""

from verifier.verify import verify as verify

__all__ = ["verify"]
