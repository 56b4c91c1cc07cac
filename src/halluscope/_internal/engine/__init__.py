"""Asking a judge until there is a result: the driver, retries under one deadline, and scoring."""
