"""The rules of Sunda to Sahul: legal moves, their effects, and scoring."""
