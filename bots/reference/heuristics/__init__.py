"""What the reference bots know of each game: an expert, scores for moves and placements, and an evaluation of positions."""
