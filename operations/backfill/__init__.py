"""Chunks and chat logs that were kept before Spanproof, placed and graded."""
