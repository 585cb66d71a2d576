"""What a person may do at a table: legal moves as choices to click, one after the other. Each game says it in a module of its own."""
