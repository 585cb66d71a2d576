"""The errors of storage: each one sentence that says what, where and what to do."""


class StoreError(Exception):
    """The database can't be used."""


class DiskFullError(StoreError):
    """There is no room left; what was stored before is as it was."""
