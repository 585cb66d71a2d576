"""Who enters a tournament: bots found, checked and named, anchors and secrets settled."""
