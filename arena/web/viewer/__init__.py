"""Replays in the browser: the document that the viewer reads, and where it is kept and exported."""
