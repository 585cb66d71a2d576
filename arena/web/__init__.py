"""The competition in the browser: pages for spectators, submission for contestants, tables for players."""
