"""Does the quote stand in the document? The ladder of existence, the locator, and re-anchoring."""
