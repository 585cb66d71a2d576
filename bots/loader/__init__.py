"""Loads bots from files, archives and manifests, with limits."""
