"""Bots from source: a host builds them once, in a sandbox of its own, and plays what came out (docs/adr/016)."""
