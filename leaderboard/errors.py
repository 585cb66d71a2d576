"""The errors of storage. Each message is one sentence that says what is wrong, where, and what to do."""


class StoreError(Exception):
    """The database can't be used."""


class DiskFullError(StoreError):
    """There is no room left. What was stored before is unchanged."""
