"""The bot protocol, the loading of bots, and the reference bots."""
