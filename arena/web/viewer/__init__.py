"""Replays in the browser: the document that the viewer reads, small boards, and the story of an analysis."""
