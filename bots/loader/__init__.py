"""From what a host names to a bot that can be played: files, archives, manifests and their limits."""
