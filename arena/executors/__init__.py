"""Where matches are played: in this process or on Ray workers."""
