"""Answer + documents + model → VerificationBlock: pure judgement, no IO."""
