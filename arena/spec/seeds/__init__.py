"""Seeds of tournaments."""
