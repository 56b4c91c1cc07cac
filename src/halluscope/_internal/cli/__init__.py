"""The command line. It parses options and prints; the library does the work."""

from .app import app, main

__all__ = ["app", "main"]
