// An MCP server that keeps notes for each person, and accepts only tokens that the identity provider issued for it.
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { createRemoteJWKSet, jwtVerify } from 'jose';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '9091' },
    issuer: { type: 'string', default: 'http://localhost:9090' },
  },
});
const resource = `http://localhost:${values.port}/mcp`;
const METADATA = '/.well-known/oauth-protected-resource/mcp';
const keys = createRemoteJWKSet(new URL('/jwks', values.issuer));
const notes = new Map();

const TOOLS = [
  {
    name: 'list',
    description: 'Lists your notes',
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'add',
    description: 'Adds a note',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    annotations: { readOnlyHint: false, destructiveHint: false },
  },
];

function serverFor(person) {
  const server = new Server({ name: 'notes', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: TOOLS }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    if (params.name === 'add') notes.set(person, [...(notes.get(person) ?? []), params.arguments.text]);
    const mine = notes.get(person)?.join('; ') ?? 'none yet';
    return { content: [{ type: 'text', text: `notes of ${person}: ${mine}` }] };
  });
  return server;
}

/** Undefined without a token that is valid here. */
async function personOf({ authorization = '' }) {
  const options = { issuer: values.issuer, audience: resource };
  const verified = jwtVerify(authorization.replace(/^Bearer /i, ''), keys, options);
  return verified.then(
    ({ payload }) => payload.sub,
    () => undefined,
  );
}

createServer(async (req, res) => {
  if (req.url === METADATA)
    return res
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ resource, authorization_servers: [values.issuer], scopes_supported: ['notes'] }));
  if (req.url !== '/mcp') return res.writeHead(404).end();
  const person = await personOf(req.headers);
  if (person === undefined)
    return res
      .writeHead(401, {
        'www-authenticate': `Bearer resource_metadata="http://localhost:${values.port}${METADATA}"`,
      })
      .end();
  // Without sessions: every request has its own server, for the person of its token.
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  await serverFor(person).connect(transport);
  return transport.handleRequest(req, res);
}).listen(Number(values.port), 'localhost', () => console.log(`notes: ${resource}`));
