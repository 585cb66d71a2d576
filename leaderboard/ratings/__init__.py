"""Ratings from results: TrueSkill and its fold, Bradley-Terry, and sequential tests."""
