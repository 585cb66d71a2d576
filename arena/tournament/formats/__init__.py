"""The formats of tournaments: schedulers whose tickets follow from the spec and from results alone."""
