"""The bot protocol, the loading of bots, and the reference bots."""

import sys

from bots import moved

sys.meta_path.append(moved)
