"""What a tournament is: its file, the plans of its formats, its seeds."""
