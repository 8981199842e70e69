"""The larger entailment model of Spanproof; ``SPANPROOF_MODEL=base`` asks for it."""
