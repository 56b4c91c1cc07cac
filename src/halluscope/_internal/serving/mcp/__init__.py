"""The MCP server: tools with which agents check their answers."""
