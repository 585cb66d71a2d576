"""Ratings from results: TrueSkill and its fold, Bradley-Terry, anchors, and sequential tests."""
