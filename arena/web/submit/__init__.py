"""Bots submitted by contestants: the form, the queue of checks, and the pages of their authors."""
