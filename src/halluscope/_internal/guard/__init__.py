"""Checks an answer while it is being written: each sentence goes through the judge before anybody reads it."""
