"""Answer + documents + model → VerificationBlock: pure judgement, no IO.

``verify`` is the function; its module, ``spanproof.verifier.verify``, holds the numbered procedure.
"""

from spanproof.verifier.verify import verify

__all__ = ["verify"]
