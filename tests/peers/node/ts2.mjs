// @modelcontextprotocol/server 2.x behind node:http.
// usage: ts2.mjs PORT [both|reject] [auto|json|sse]
import { createServer } from 'node:http';
import { McpServer, createMcpHandler, fromJsonSchema } from '@modelcontextprotocol/server';
import { toNodeHandler } from '@modelcontextprotocol/node';

const [port, legacy = 'both', responseMode = 'auto'] = process.argv.slice(2);
const number = { type: 'number' };
const make = () => {
  const server = new McpServer({ name: 'peer-ts2', version: '9.9.9' });
  server.registerTool(
    'add',
    {
      title: 'Add',
      description: 'Adds two numbers',
      inputSchema: fromJsonSchema({ type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] }),
    },
    async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
  );
  server.registerTool(
    'echo',
    { description: 'Gives a text back', inputSchema: fromJsonSchema({ type: 'object', properties: { text: { type: 'string' } } }) },
    async ({ text }) => ({ content: [{ type: 'text', text: text ?? '' }] }),
  );
  return server;
};
const options = { responseMode };
if (legacy === 'reject') options.legacy = 'reject';
const handler = toNodeHandler(createMcpHandler(make, options));
createServer((request, response) => handler(request, response)).listen(Number(port), '127.0.0.1');
