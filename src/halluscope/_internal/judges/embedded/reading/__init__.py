"""The context made ready: its text and its records, and which part of it is read against a claim."""
