"""Numbers, dates and measures: reading and comparing them by rule."""
