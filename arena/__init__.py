"""Scheduling, playing and reporting tournaments: the command line and what it runs."""
