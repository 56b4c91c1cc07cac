"""The judges: chat models, the embedded model, and those that ask other judges."""
