"""A tournament from its file to its ratings: spec, schedule, matches, and the one flow that runs them."""
