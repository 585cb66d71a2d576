"""The notation of moves and positions of Sunda to Sahul."""
