"""Sunda to Sahul: the rules as docs/rules/sunda.md has them."""
