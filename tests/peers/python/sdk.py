"""PyPI mcp 2.x, MCPServer. usage: sdk.py PORT [stateful|stateless] [sse|json]"""

import sys

from mcp.server.mcpserver import MCPServer

port = int(sys.argv[1])
stateless = "stateless" in sys.argv
json_response = "json" in sys.argv
server = MCPServer("peer-mcp2", version="9.9.9", instructions="A peer for tests.")


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool()
def shout(text: str) -> str:
    """Gives a text back in capitals."""
    return text.upper()


server.run(transport="streamable-http", host="127.0.0.1", port=port, stateless_http=stateless, json_response=json_response)
