"""Which moves are legal in Sunda to Sahul, what they do, and what they score."""
