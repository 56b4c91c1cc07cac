"""Settings: a file per project, environment variables, and command line options."""
