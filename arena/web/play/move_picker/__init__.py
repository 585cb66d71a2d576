"""What a person may do at a table: legal moves as choices to click, one after the other, with a module for each game."""
