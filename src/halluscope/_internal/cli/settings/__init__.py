"""Settings: a file for a project, variables for a machine, options for one call."""
