"""Benchmarks: measuring judges on labelled datasets."""
