"""Commands for those who work on halluscope."""
