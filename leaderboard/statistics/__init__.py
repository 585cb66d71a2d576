"""Statistics of stored results: strengths, shares of wins and advantages of seats, with intervals over blocks."""
