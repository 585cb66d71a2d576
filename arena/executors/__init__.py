"""Where matches are played: in this process, in processes of this machine, or on Ray workers."""
