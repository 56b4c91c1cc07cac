"""The figures of a run, and what changed between two: computed here once, shown by terminal, page, gates and files."""
