"""The value functions of the games, which estimate each seat's chance of every rank."""
