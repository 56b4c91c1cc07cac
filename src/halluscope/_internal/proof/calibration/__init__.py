"""Calibration: thresholds with a guarantee, and probabilities."""
