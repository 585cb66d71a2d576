"""Reads from address 0 (SANDBOX 20)."""

import ctypes

from speak import heard, honest

honest(1)
heard()
ctypes.string_at(0)
