"""Rendering of pages: templates, static files, and replays as files."""
