"""A program for tests that end the command line while it judges: they wait until it does."""

LAUNCHER = """
import sys, threading, time
from pathlib import Path
from halluscope._internal.cli import main
from halluscope._internal.core.plumbing import threads

marker = Path(sys.argv.pop())

def mark():
    while threads.farthest() is None:
        time.sleep(0.01)
    marker.touch()

threading.Thread(target=mark, daemon=True).start()
main()
"""
"""Runs the command line, and creates the file named by its last argument once a judge is at work."""
