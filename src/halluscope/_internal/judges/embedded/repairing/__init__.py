"""How the embedded judge repairs: it tries edits by rule and keeps those that its network finds supported."""
