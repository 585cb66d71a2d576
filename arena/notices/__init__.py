"""Notices of what happens in tournaments: webhooks and mail (docs/notices.md)."""
