"""The guard: checks an answer sentence by sentence while it is streamed."""
