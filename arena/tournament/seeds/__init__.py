"""Seeds and ids of matches, derived from a tournament's secret."""
