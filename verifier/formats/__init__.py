"""Formats in which answers come: the native one, and grammars of inline anchors."""
