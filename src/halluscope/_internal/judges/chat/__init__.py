"""Judges that are chat models: hosted ones, and a model of the user's own."""
