"""What runs in a bot's own process: its loop, its imports, and the calls of the contestant's class."""
