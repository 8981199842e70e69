"""Tables on pages: from ruling lines, and from columns of text that stand in line."""
