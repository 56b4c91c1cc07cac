"""The commands that serve others, people and agents."""
