"""Loading bots that a host names: files, archives, manifests and their limits."""
