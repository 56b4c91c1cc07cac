"""The command line: it parses and prints, and leaves all else to the library."""

from .app import app, main

__all__ = ["app", "main"]
