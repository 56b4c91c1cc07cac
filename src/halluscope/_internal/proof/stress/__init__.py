"""Stress tests without labels: correct answers are changed, and the judge should notice."""
