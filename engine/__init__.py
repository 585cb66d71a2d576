"""The rules of the games and what they have in common. No clocks, files, processes or network in here."""
