"""Running a tournament: results, standings, status, orders and the rounds of ladders."""
