"""The entailment model by itself: pairs judged, models registered, thresholds calibrated."""
