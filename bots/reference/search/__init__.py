"""How the reference bots search: trees, candidate moves, one ply, whole-table planning."""
