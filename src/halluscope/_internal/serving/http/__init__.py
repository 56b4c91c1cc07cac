"""The server: checks, batches, runs and a page over HTTP. It reads requests and writes answers, nothing else."""
