"""A legal move and an illegal one under the same key (SANDBOX 17)."""

from speak import heard, honest, raw

honest(1)
decide = heard()
start = b'{"type":"answer","token":"%s","move":"settle 9",' % decide["token"].encode()
raw(start + b'"m\\u006fve":"%s"}\n' % decide["legal"][0].encode())
