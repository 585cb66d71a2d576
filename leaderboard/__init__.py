"""Results and ratings: the database, the ratings and statistics computed from it, and the seals over it."""

import sys

from leaderboard import moved

sys.meta_path.append(moved)
