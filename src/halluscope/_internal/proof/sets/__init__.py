"""Labelled datasets: public ones and files."""
