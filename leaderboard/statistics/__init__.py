"""Statistics of stored results: blocks, seats, intervals and plots."""
