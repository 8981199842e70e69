"""Who asked for which evidence: a line each, and the days whose lines were let go."""
