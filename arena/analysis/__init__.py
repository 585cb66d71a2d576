"""Analysis of results: comparisons of bots, luck, and statistics as tables."""
