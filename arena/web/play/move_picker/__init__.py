"""The legal moves of a person at a table as successive choices to click, with a module for each game."""
