"""Tournament formats, which define who plays whom in each round."""
