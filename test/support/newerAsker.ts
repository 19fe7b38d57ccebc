// A server of revision 2026-07-28, and of no other, whose tools ask the client; over stdio when run with `stdio`.
import { randomBytes } from 'node:crypto';
import {
  McpServer,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server';
import type { CallToolResult, InputRequest, InputResponseView } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { ASKED, ASKER_INPUT } from './asked.ts';

const INPUT = fromJsonSchema<{ readonly name: string }>(ASKER_INPUT);
const states = createRequestStateCodec<string>({ key: randomBytes(32) });

/** Its tools `plain`, `form`, `url` and `sample` answer `<name>: <answer of the client>`.
 *  `form` signs the name into its requestState, and refuses the state of another name. */
export function newerAsker(): McpServer {
  const asker = new McpServer(
    { name: 'newer-asker', version: '1' },
    { requestState: { verify: (state, context) => states.verify(state, context) } },
  );
  asker.registerTool('plain', { inputSchema: INPUT }, ({ name }) => told(name, 'not asked'));
  const ask = (
    tool: keyof typeof ASKED,
    question: (name: string) => InputRequest,
    answer: (given: InputResponseView) => unknown,
    isStateful = false,
  ): void =>
    void asker.registerTool(tool, { inputSchema: INPUT }, async ({ name }, { mcpReq }) => {
      const given = inputResponse(mcpReq.inputResponses, 'asked');
      if (given.kind === 'missing')
        return inputRequired({
          inputRequests: { asked: question(name) },
          ...(isStateful && { requestState: await states.mint(name) }),
        });
      if (isStateful && mcpReq.requestState<string>() !== name) throw new Error('the state of another call');
      return told(name, answer(given));
    });
  ask(
    'form',
    (name) => inputRequired.elicit(ASKED.form(name)),
    (given) => given.kind === 'elicit' && given.content?.['who'],
    true,
  );
  ask(
    'url',
    (name) => inputRequired.elicitUrl(ASKED.url(name)),
    (given) => given.kind === 'elicit' && given.action,
  );
  ask(
    'sample',
    (name) => inputRequired.createMessage(ASKED.sample(name)),
    (given) => given.kind === 'sampling' && 'text' in given.result.content && given.result.content.text,
  );
  return asker;
}

function told(name: string, answer: unknown): CallToolResult {
  return { content: [{ type: 'text', text: `${name}: ${String(answer)}` }] };
}

if (process.argv[2] === 'stdio') serveStdio(newerAsker, { legacy: 'reject' });
