"""The version of the program, which is defined only here; ``pyproject.toml`` reads it from this module."""

__version__ = "0.1.0"
