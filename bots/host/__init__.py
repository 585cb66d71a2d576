"""The host's side of a bot in a match: players, clocks, channels, and the pool that makes players."""
