"""Runs that ask in batches of a provider: its API, the queue of requests, and what was submitted."""
