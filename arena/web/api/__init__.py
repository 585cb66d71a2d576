"""The JSON API for reading, and the records it returns."""
