"""Commands for verification by others."""
