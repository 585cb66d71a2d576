"""Speaks another version of the protocol."""

import time

from speak import hello

hello(protocol=2)
time.sleep(3600)
