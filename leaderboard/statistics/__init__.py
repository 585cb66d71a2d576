"""Statistics of stored results: strengths, shares of wins, seats, and intervals over blocks."""
