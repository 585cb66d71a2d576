"""Which moves are legal in Tongiaki, and what they do."""
