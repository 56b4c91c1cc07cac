"""Scores where people look: sent to the observability tools that already have the traces."""
