"""The first page: what fails where, and the list of answers."""
