"""What a pass is worth: hand-made falsehoods, and labelled pairs that shaped nothing."""
