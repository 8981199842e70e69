"""What a verification says: statuses, findings, policy, calibration, and the block's JSON."""
