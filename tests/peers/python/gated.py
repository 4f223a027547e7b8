"""PyPI mcp 2.x behind its own sign-in wall: every request gets 401 and a challenge. usage: gated.py PORT"""

import sys

from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import MCPServer

port = int(sys.argv[1])
base = f"http://127.0.0.1:{port}"


class Nobody:
    """Knows no token."""

    async def verify_token(self, token):
        return None


server = MCPServer(
    "peer-gated",
    token_verifier=Nobody(),
    auth=AuthSettings(issuer_url=base, resource_server_url=f"{base}/mcp", required_scopes=["read"]),
)


@server.tool()
def secret() -> str:
    """Nobody gets here without signing in."""
    return "behind the wall"


server.run(transport="streamable-http", host="127.0.0.1", port=port)
