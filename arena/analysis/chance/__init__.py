"""What chance could have done after a move, game by game."""
