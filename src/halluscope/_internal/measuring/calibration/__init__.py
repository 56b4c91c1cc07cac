"""From labels to a threshold with a promise."""
