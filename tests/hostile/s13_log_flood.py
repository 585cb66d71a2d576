"""Fills its log without end."""

import os

while True:
    os.write(2, b"complaint\n" * 6000)
