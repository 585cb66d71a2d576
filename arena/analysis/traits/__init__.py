"""What moves are like in the terms of their games: for the sentence on a match, and for what a bot's worst decisions have in common."""
