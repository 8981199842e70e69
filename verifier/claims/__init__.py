"""From prose to claims: paragraphs, sentences, anchors, parts of a claim; exact offsets."""
