"""What is measured of the program, and how: each module is a program of its own (``python -m benchmarks.NAME``)."""
