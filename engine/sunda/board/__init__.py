"""The board of Sunda to Sahul: the lattice, tiles, islands, tokens, and where a tile fits."""
