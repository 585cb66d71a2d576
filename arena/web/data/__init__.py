"""What the pages show, read from the store and cached."""
