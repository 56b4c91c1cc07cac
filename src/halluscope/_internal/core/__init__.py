"""The basic values: cases, claims, verdicts, results, prompts and errors."""
