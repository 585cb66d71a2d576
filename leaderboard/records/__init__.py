"""Records of stored data: tournaments and matches for users of the store, and rows for verification."""
