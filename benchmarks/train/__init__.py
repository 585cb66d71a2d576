"""Learns the value functions of the games by self-play."""

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # before numpy is imported: its operations are small, so threads would only slow them down
