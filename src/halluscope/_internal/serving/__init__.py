"""The service that checks texts for other programs, over HTTP and MCP."""
