"""Loads bots from files, archives and manifests, within limits."""
