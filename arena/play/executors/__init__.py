"""What plays many matches at once."""
