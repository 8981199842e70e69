"""Evaluation runs: cases judged, and compared with an earlier run."""
