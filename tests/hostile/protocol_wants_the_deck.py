"""Wants what nobody may have."""

import time

from speak import hello

hello(wants=["legal", "deck"])
time.sleep(3600)
