"""What is kept for ever: documents, extractions, answers, verification blocks, blobs."""
