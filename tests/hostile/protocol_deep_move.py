"""A move nested 20,000 deep (SANDBOX 17)."""

from speak import heard, honest, raw

honest(1)
raw(b'{"type":"answer","token":"%s","move":' % heard()["token"].encode() + b'{"a":' * 10000 + b"1" + b"}" * 10001 + b"\n")
