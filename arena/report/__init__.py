"""Results as tables and lines for people and scripts: one module for each kind of report, and ``table`` to write tables."""
