"""Where answers fail: totals, counts by fact, pairs of values that stand out, and the list."""
