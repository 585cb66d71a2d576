"""What is stored, as records: tournaments and matches as the store returns them, and rows as verification compares them."""
