"""What the reference bots know of each game: placements, move scores and evaluations."""
