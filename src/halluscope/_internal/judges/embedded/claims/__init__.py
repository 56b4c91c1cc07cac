"""From an output to its claims."""
