"""The chain of seals: digests of what is stored, linked and signed."""
