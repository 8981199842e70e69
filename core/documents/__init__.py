"""A read document: its text blocks, its layout, and the places of spans on its pages."""
