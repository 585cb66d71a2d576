"""Commands that run tournaments."""
