"""Quantities as they are written: numerals, units, dates and times, ranges and the words that bound a number."""
