"""The changes that a stress test makes to an answer."""
