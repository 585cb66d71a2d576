"""Analyses of matches and results: key moments, skill and luck, comparisons and ratings of bots, and statistics."""
