"""Answers verified, attributed and compared; verifications as they are stored."""
