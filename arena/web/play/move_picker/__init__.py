"""Legal moves as choices that a person clicks one after the other, with a module for each game."""
