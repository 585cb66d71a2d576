"""The formats of tournaments: small pure schedulers, a function of the spec and of stored results alone."""
