"""Benchmarks of the program. Each module is a separate program (``python -m benchmarks.NAME``)."""
