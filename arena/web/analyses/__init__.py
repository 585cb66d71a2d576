"""Analyses for the pages: asked for by visitors, made one at a time in a process with limits, kept for the next visitor."""
