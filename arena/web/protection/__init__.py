"""Protection against overload: limits on addresses, connections, requests and streams."""
