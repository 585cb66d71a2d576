"""The rules of Tongiaki: legal moves and their effects."""
