// @modelcontextprotocol/sdk 1.x, low-level server whose list has three pages.
// usage: ts1.mjs PORT [stateful|stateless] [sse|json]
import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const [port, sessions = 'stateful', framing = 'sse'] = process.argv.slice(2);
const pages = [['alpha', 'beta'], ['gamma'], ['delta', 'epsilon']];
const tool = (name) => ({ name, description: `Tool ${name}`, inputSchema: { type: 'object', properties: { [name]: { type: 'string' } } } });

const make = () => {
  const server = new Server({ name: 'peer-ts1', version: '9.9.9' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, async ({ params }) => {
    const page = Number(params?.cursor ?? 0);
    const next = page + 1 < pages.length ? { nextCursor: String(page + 1) } : {};
    return { tools: pages[page].map(tool), ...next };
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    throw new Error(`no tool ${params.name}`);
  });
  return server;
};

const transports = new Map();
const open = async () => {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: sessions === 'stateful' ? randomUUID : undefined,
    enableJsonResponse: framing === 'json',
    onsessioninitialized: (id) => transports.set(id, transport),
  });
  transport.onclose = () => transports.delete(transport.sessionId);
  await make().connect(transport);
  return transport;
};
createServer(async (request, response) => {
  const known = transports.get(request.headers['mcp-session-id']);
  const transport = known ?? (await open());
  await transport.handleRequest(request, response);
}).listen(Number(port), '127.0.0.1');
