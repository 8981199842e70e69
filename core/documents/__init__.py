"""What is read of a document: its text blocks, its layout, and where a span stands on its pages."""
