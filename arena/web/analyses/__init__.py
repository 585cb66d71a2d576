"""Analyses for the pages: requested by visitors, computed one at a time in a process with limits, and cached for the next visitor."""
