"""Search for the reference bots: one turn ahead, and trees over hidden information, by a heuristic or by playouts."""
