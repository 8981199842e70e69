"""The recipe that makes the embedded entailment model, its thresholds and its model card."""
