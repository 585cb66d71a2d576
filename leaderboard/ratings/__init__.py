"""TrueSkill ratings, and sequential tests that compare two bots."""
