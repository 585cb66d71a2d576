"""Bots from source: a host builds them once, in a separate sandbox, and plays the products (docs/adr/016)."""
