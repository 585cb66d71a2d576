"""Results and ratings: the database, the ratings and statistics computed from it, and the seals over it."""
