"""Results and ratings: the tables, the store, and what is computed from stored results."""
