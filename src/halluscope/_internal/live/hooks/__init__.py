"""Hooks for the clients and frameworks that applications answer with; each is imported by whoever uses it."""
