"""The code of a bot's process: its loop, its imports, and the calls of the contestant's class."""
