"""Hostile input, drawn at random: `make fuzz` draws for ten minutes, `make test` a little, and all past findings."""
