"""An integer of 50,000 digits (SANDBOX 17)."""

from speak import heard, honest, raw

honest(1)
raw(b'{"type":"answer","token":"%s","move":"pass","nodes":' % heard()["token"].encode() + b"9" * 50000 + b"}\n")
