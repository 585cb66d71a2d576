"""Bots submitted by contestants: the form, the API and the queue of checks."""
