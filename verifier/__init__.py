"""Answer + documents + model → VerificationBlock: pure judgement, no IO.

The numbered procedure is ``spanproof.verifier.verify``; this package loads nothing of it, so that
re-anchoring or an importer can be used alone.
"""
