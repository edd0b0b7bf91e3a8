"""Tools of MCP servers: connections, schemas, results and questions."""
