"""Results and ratings: the tables, the store, and what is computed from stored results."""

import sys

from leaderboard import moved

sys.meta_path.append(moved)
