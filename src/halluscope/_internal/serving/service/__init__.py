"""The service behind the HTTP server and the MCP server: limits, queueing, judges and stored runs."""
