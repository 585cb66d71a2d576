"""The chain of seals: digests of the stored data, linked and signed."""
