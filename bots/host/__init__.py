"""The host's side of a bot in a match: players, channels, and the pool that creates players."""
