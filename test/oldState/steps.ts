import { McpClient, textOf } from '../support/mcpClient.ts';
import type { Files } from '../support/directory.ts';

/** The configuration directory whose state is recorded. */
export const FILES: Files = {
  'config.yaml': `aggregator: { localToken: true, resultBudget: 1000 }
plugins:
  audit: { config: { directory: state/audit } }
required: [local-token]
`,
  'mcpservers/notes.yaml': 'type: stdio\ncommand: [node, server.mjs]\nautoStart: true\n',
  'workflows/write.yaml': 'steps:\n  - { id: read, tool: x_notes_read, args: { lines: 2 } }\n',
  'description.txt': 'Reads lines of a note.',
  'server.mjs': `import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const tools = () => [
  {
    name: 'read',
    description: readFileSync('description.txt', 'utf8'),
    inputSchema: { type: 'object', properties: { lines: { type: 'integer' } } },
    annotations: { readOnlyHint: true },
  },
];
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'notes', version: '1' } }),
  'tools/list': () => ({ tools: tools() }),
  'tools/call': ({ arguments: { lines = 1 } = {} }) => ({ content: [{ type: 'text', text: 'a line of a note\\n'.repeat(lines) }] }),
};
createInterface(process.stdin).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method]?.(params ?? {});
  const answer = result === undefined ? { error: { code: -32601, message: 'no such method' } } : { result };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n');
});
`,
};

/** What a client has got from the version that wrote the state, and may use with a later one. */
export interface Recorded {
  readonly token: string;
  readonly session: string;
  readonly execution: string;
  readonly result: string;
}

export function bearer(token: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}` };
}

/** Uses the gateway as a client does, so that there is state. @throws Error while the server starts */
export async function use(url: string, token: string): Promise<Recorded> {
  const client = await McpClient.connect(url, { headers: bearer(token) });
  const run = textOf(await client.callTool('workflow_write'));
  const large = textOf(await client.callTool('x_notes_read', { lines: 500 }));
  return {
    token,
    session: client.sessionId ?? '',
    execution: found(/"execution_id": ?"([\w-]+)"/, run),
    result: found(/"handle": ?"([\w.-]+)"/, large),
  };
}

function found(pattern: RegExp, text: string): string {
  const [, value] = pattern.exec(text) ?? [];
  if (value === undefined) throw new Error(text);
  return value;
}
