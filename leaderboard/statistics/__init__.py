"""Statistics of stored results: blocks, seats and intervals."""
