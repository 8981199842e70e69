"""What receipts and the log cost: issuing, appending, checking."""
