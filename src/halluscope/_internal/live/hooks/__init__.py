"""Hooks for clients and frameworks. Each is imported when it is used."""
