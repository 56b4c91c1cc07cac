"""Judges that ask other judges: cascade, panel and self-consistency."""
