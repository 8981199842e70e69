"""The document and the extraction that a citation means, and the facts about its source."""
