"""The command line: it parses and prints, and leaves all else to the library."""

from . import bench, calibrate, check, evaluate, label, runs
from .app import app, main

__all__ = ["app", "bench", "calibrate", "check", "evaluate", "label", "main", "runs"]
