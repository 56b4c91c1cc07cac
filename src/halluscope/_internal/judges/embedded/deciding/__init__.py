"""From what was read and measured to a verdict, its marks and its reason."""
