"""Bytes that are no UTF-8 (SANDBOX 15)."""

from speak import heard, honest, raw

honest(1)
raw(b'{"type":"answer","token":"%s","move":"\xff\xfe"}\n' % heard()["token"].encode())
