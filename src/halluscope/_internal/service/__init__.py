"""Judging for others: what the server and the tools for agents share. Limits, turns, judges and kept runs."""
