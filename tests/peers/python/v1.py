"""PyPI mcp 1.x, FastMCP. usage: v1.py PORT [stateful|stateless] [sse|json]"""

import sys

from mcp.server.fastmcp import FastMCP

server = FastMCP(
    "peer-mcp1",
    host="127.0.0.1",
    port=int(sys.argv[1]),
    stateless_http="stateless" in sys.argv,
    json_response="json" in sys.argv,
)


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


server.run(transport="streamable-http")
