"""Judges made of other judges: cascade, panel, and one judge asked several times."""
