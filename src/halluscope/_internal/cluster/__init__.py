"""Scoring on many machines: the runner's pipeline inside the workers of a Ray cluster or of Spark."""
