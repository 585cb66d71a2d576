"""The revisions, oldest first by number. A revision that has been released is never changed."""
