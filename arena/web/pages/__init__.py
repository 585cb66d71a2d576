"""The pages for spectators."""
