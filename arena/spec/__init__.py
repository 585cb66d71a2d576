"""The specification of a tournament: its file, the plans of its formats, its seeds."""
