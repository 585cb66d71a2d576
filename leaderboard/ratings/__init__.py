"""TrueSkill ratings, and sequential tests of two bots."""
