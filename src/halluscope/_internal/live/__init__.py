"""Scores answers as they are given, beside the application: it never waits for that, and never hears of troubles."""
