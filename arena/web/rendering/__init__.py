"""Templates and files of pages."""
