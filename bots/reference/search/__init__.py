"""Search for the reference bots: one turn ahead, a tree over hidden information, and a whole table planned alone."""
