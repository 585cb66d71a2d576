"""The data of the pages, read from the store and cached."""
