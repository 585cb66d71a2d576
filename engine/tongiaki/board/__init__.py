"""The table of Tongiaki: tiles, ships, and where voyages lead."""
