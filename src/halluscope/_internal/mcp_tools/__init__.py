"""Tools for agents over the Model Context Protocol: an agent has its own answer checked before it speaks."""
