"""What is handed to others beside receipts: evidence packs and web annotations."""
