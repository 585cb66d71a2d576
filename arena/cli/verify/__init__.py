"""Commands for what others can verify."""
