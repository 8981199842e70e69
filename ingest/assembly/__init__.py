"""Characters as an engine gives them → canonical text and layout, a batch of pages at a time."""
