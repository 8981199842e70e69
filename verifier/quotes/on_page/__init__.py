"""What a page shows of a span: hidden words, other glyphs, words drawn into gaps, no blank."""
