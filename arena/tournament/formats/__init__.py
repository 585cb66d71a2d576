"""The formats of tournaments. Each is a scheduler that derives its tickets from the spec and from results, and from nothing else."""
