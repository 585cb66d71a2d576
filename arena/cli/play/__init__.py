"""Commands that play and show matches."""
