"""The network and what it reads."""
