"""Scoring on a Ray cluster."""
