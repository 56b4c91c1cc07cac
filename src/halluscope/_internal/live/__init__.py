"""Live scoring of the answers of an application, in the background, and the guard for streams."""
