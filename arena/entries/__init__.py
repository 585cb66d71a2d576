"""Who enters a tournament: bots found, checked and named, and what a tournament file leaves open settled."""
