"""HTTP, CLI and console: the only place where the other packages meet."""
