"""The Tongiaki board: its tiles and ships, and where voyages lead."""
