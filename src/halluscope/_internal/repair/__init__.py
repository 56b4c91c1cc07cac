"""Repairing an output: edits by claim, applied to exact spans, judged again."""
