"""What the white space of a text parts: words, cells of a row, or rows."""
