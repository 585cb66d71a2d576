"""The code that runs in a bot's process: its message loop, its preparation, and the calls to the contestant's class."""
