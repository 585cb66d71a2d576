"""What keeps the server up: limits on addresses, connections, requests and streams."""
