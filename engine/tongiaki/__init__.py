"""Tongiaki: the rules as docs/rules/tongiaki.md has them."""
