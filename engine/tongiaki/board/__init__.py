"""The board of Tongiaki: tiles, ships, and where voyages lead."""
