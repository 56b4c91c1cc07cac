"""Statistics of a run, and comparisons of two runs."""
