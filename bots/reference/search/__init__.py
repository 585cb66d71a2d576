"""Searches for the reference bots: one turn ahead, and trees over hidden information, guided by a heuristic or by playouts."""
