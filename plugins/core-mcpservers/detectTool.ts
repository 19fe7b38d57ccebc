import { GatewayError, READING, coreTool, plainText, structuredResult, validateArguments } from 'pegboard';
import { hideInUrl, hiderOf, secretsGiven } from 'pegboard/kit';
import type { JsonObject, JsonSchema, Scope, Tool } from 'pegboard';
import { Prober } from '../contracts/servers.ts';
import { SignInFinder } from '../contracts/signIns.ts';
import type { ProbeTarget } from '../contracts/servers.ts';
import type { McpServersConfig } from './config.ts';

const MAX_SHOWN_CHARS = 500;

const DETECT_ARGUMENTS: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['url'],
  properties: {
    url: {
      description: 'Where a server may answer, beginning with http:// or https://.',
      type: 'string',
      minLength: 1,
    },
    headers: {
      description: 'HTTP headers to send, as they are.',
      type: 'object',
      additionalProperties: { type: 'string' },
      default: {},
    },
    timeout: {
      description: 'Seconds for the whole probe.',
      type: 'integer',
      minimum: 1,
      maximum: 300,
      default: 10,
    },
  },
};

interface DetectArguments {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeout: number;
}

/** core_mcpserver_detect: fails for invalid arguments only; an unexpected answer of the url is a result. */
export function detectTool(scope: Scope<McpServersConfig>): Tool {
  const name = 'core_mcpserver_detect';
  return coreTool({
    name,
    authority: 'operate',
    description:
      'Probe a url: which MCP transport answers there, whether and how it wants a sign-in, and the name of the server; nothing is created',
    schema: DETECT_ARGUMENTS,
    hints: { ...READING, openWorldHint: true },
    read: (args) => checked(args, name),
    run: async ({ url, headers, timeout }, { cancel }) => {
      const ended = new AbortController();
      const end = (): void => ended.abort(new Error(`no answer within ${timeout} s`));
      const timer = setTimeout(end, timeout * 1_000);
      const forget = cancel.onCancel(end);
      const signal = AbortSignal.any([ended.signal, scope.signal]);
      try {
        const { maxProbeBytes: maxMessageBytes } = scope.config;
        const target = { url, headers, maxMessageBytes, signal };
        const { challenges = [], ...found } = await scope.get(Prober).probe(target);
        const signIn = found.requiresAuth && (await signInMember(scope, target, challenges));
        return structuredResult({ url: hideInUrl(url), ...found, ...(signIn && { signIn }) });
      } finally {
        clearTimeout(timer);
        forget();
      }
    },
  });
}

/** @throws GatewayError TOOL_ARGUMENTS */
function checked(args: JsonObject, tool: string): DetectArguments {
  const valid = validateArguments(DETECT_ARGUMENTS, args, tool) as unknown as DetectArguments;
  const refuse = (text: string): GatewayError =>
    new GatewayError('TOOL_ARGUMENTS', `arguments of ${tool}: ${text}`);
  const url = URL.canParse(valid.url) ? new URL(valid.url) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw refuse('url must be complete and begin with http:// or https://');
  if (url.username !== '' || url.password !== '')
    throw refuse('url must not hold a user name or password; send them in headers');
  try {
    new Headers(valid.headers);
  } catch {
    throw refuse('headers holds a name or a value that HTTP does not allow');
  }
  return valid;
}

/** How people sign in for a server that requires it: `{issuer, scopes?, registration, resource?, detail?}`, or `{detail}` with
 *  the reason why that is not known; undefined if no plugin finds it out. Source: requirement server.detect */
async function signInMember(
  scope: Scope<unknown>,
  { url, headers, signal }: ProbeTarget,
  challenges: readonly string[],
): Promise<JsonObject | undefined> {
  const found = await scope.find(SignInFinder)?.find({ url, challenges, signal });
  if (found === undefined) return undefined;
  const hide = hiderOf(secretsGiven({ values: Object.entries(headers), url }));
  const shown = (text: string): string => plainText(hide(text)).slice(0, MAX_SHOWN_CHARS);
  if ('fault' in found) return { detail: shown(found.fault) };
  const { issuer, scopes, registration, resource, detail } = found.facts;
  return {
    issuer: shown(issuer),
    ...(scopes !== undefined && { scopes }),
    registration,
    ...(resource !== undefined && { resource: shown(resource) }),
    ...(detail !== undefined && { detail }),
  };
}
