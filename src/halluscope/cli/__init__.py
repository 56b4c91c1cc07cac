"""The command line: it parses and prints, and leaves all else to the library."""

from . import bench, check
from .app import app, main

__all__ = ["app", "bench", "check", "main"]
