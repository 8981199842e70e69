"""What style sheets and attributes say of whether a reader of a page sees its text."""
