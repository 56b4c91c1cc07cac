"""Many machines: the runner's own scoring inside the workers of a Ray cluster or of Spark."""
