import { createHash } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';

const STORY_SENTENCES = 400;

type Request = { readonly authInfo?: AuthInfo };

/** Answered with 403 unless the token has the scope `extra`. */
export const NEEDS_SCOPE = 'needs_scope';

/** An MCP server whose lists and answers depend on the account of each request. */
export function guardedServer(): McpServer {
  const guarded = new McpServer(
    { name: 'guarded', version: '1' },
    { capabilities: { tools: {}, resources: { subscribe: true }, prompts: {} } },
  );
  const { server } = guarded;
  server.setRequestHandler(ListToolsRequestSchema, (_, request) => ({
    tools: [...Object.keys(TOOLS), own(request)].map((name) => ({
      name,
      description: `${name} of the guarded server`,
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params: { name } }, request) => {
    const answer = name === own(request) ? () => ({ own: accountOf(request) }) : TOOLS[name];
    if (name === 'fail_showing') throw new McpError(ErrorCode.InternalError, `refused ${tokenOf(request)}`);
    if (answer === undefined) throw new McpError(ErrorCode.InvalidParams, `no tool ${name}`);
    return { content: [{ type: 'text', text: JSON.stringify(answer(request)) }] };
  });
  server.setRequestHandler(ListResourcesRequestSchema, (_, request) => ({
    resources: [{ uri: notesOf(request), name: 'notes' }],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }, request) => {
    if (uri !== notesOf(request)) throw new McpError(ErrorCode.InvalidParams, `no resource ${uri}`);
    return { contents: [{ uri, text: `notes of ${accountOf(request)}` }] };
  });
  server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  server.setRequestHandler(ListPromptsRequestSchema, (_, request) => ({
    prompts: [{ name: `greet_${accountOf(request)}` }],
  }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params: { name } }, request) => {
    if (name !== `greet_${accountOf(request)}`)
      throw new McpError(ErrorCode.InvalidParams, `no prompt ${name}`);
    const content = { type: 'text' as const, text: `Greet ${accountOf(request)}.` };
    return { messages: [{ role: 'user', content }] };
  });
  return guarded;
}

/** What `echo_authorization` answers for a token. */
export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

const TOOLS: Readonly<Record<string, ((request: Request) => object) | undefined>> = {
  whoami: (request) => ({ account: accountOf(request), scopes: request.authInfo?.scopes }),
  echo_authorization: (request) => ({ hash: hashOf(tokenOf(request)) }),
  /** As careless servers do. */
  show_authorization: (request) => ({ token: tokenOf(request) }),
  fail_showing: () => ({}),
  [NEEDS_SCOPE]: (request) => ({ account: accountOf(request) }),
  story: (request) => ({ story: `told by ${accountOf(request)}; `.repeat(STORY_SENTENCES) }),
};
function own(request: Request): string {
  return `only_for_${accountOf(request)}`;
}
function notesOf(request: Request): string {
  return `guarded://${accountOf(request)}/notes`;
}
function tokenOf({ authInfo }: Request): string {
  return authInfo?.token ?? '';
}
function accountOf({ authInfo }: Request): string {
  return String(authInfo?.extra?.['account']);
}
