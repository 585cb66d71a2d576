"""Templates, charts and files of pages."""
