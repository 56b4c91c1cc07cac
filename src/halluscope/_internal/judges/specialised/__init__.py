"""Open models that were trained to check claims, each asked in its own documented format."""
