"""Receipts and logs of ours, judged by verifiers that other people wrote."""
