"""Replays in the browser: the document that the viewer reads, small boards, and analyses as text and pictures."""
