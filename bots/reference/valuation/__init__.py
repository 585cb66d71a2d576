"""What a position promises each seat, as chances of every rank: the value functions of the games."""
