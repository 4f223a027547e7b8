"""Reads a server's whole tool list with nothing but the standard library.

An independent client: it shares no line with the program under test.
usage: list_tools.py URL [modern]   prints a JSON array, one tools/list result a page
"""

import json
import sys
import urllib.request

url = sys.argv[1]
modern = len(sys.argv) > 2 and sys.argv[2] == "modern"
headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "User-Agent": "independent-test-client"}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "independent", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def post(method, params, ident):
    body = {"jsonrpc": "2.0", "method": method}
    if params is not None:
        body["params"] = params
    if ident is not None:
        body["id"] = ident
    more = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method} if modern else {}
    request = urllib.request.Request(url, json.dumps(body).encode(), {**headers, **more}, method="POST")
    with urllib.request.urlopen(request, timeout=30) as response:
        session = response.headers.get("Mcp-Session-Id")
        if session and method == "initialize":
            headers["Mcp-Session-Id"] = session
        if ident is None:
            return None
        if response.headers.get_content_type() != "text/event-stream":
            return json.load(response)
        for line in response:
            if line.startswith(b"data:") and line[5:].strip():
                message = json.loads(line[5:])
                if "result" in message or "error" in message:
                    return message
    raise SystemExit(f"no answer to {method}")


if not modern:
    answer = post("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "independent", "version": "1"}}, 1)
    headers["MCP-Protocol-Version"] = answer["result"]["protocolVersion"]
    post("notifications/initialized", None, None)

pages = []
cursor = None
while True:
    params = {"_meta": META} if modern else {}
    if cursor is not None:
        params["cursor"] = cursor
    result = post("tools/list", params, 2 + len(pages))["result"]
    pages.append(result)
    cursor = result.get("nextCursor")
    if not cursor:
        break
print(json.dumps(pages))
