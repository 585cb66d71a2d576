"""A whole competition as static files: every page that can be reached, with links from file to file."""
