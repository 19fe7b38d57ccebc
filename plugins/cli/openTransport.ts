import type { Invocation } from 'pegboard';
import type {
  StreamableHTTPClientTransport,
  StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/client';
import { optionsOf } from './commonOptions.ts';
import type { NamedEndpoint } from './endpointOf.ts';
import { StoredSignIn } from './signIn/storedSignIn.ts';
import { trusting } from './trusting.ts';

/** A transport to a gateway as --toolset, --extra-ca-file and --debug ask for; not started. @throws Failure */
export async function openTransport(
  invocation: Invocation,
  endpoint: NamedEndpoint,
  options: StreamableHTTPClientTransportOptions = {},
  own: Readonly<Record<string, string>> = {},
): Promise<StreamableHTTPClientTransport> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const { toolset, debug } = optionsOf(invocation);
  const headers = { ...own, ...(toolset !== undefined && { 'X-Service-Toolset': toolset }) };
  const url = new URL(endpoint.url);
  const requestInit = { headers, ...(await trusting(invocation)) };
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit,
    authProvider: new StoredSignIn(invocation, endpoint),
    ...options,
  });
  if (debug === true) showMessages(transport, (line) => invocation.terminal.err(`${line}\n`));
  return transport;
}

const SECRET_KEY = /token|secret|password|authorization|api.?key|^(env|headers)$/i;

function showMessages(transport: StreamableHTTPClientTransport, write: (line: string) => void): void {
  const text = (message: unknown): string =>
    JSON.stringify(message, (key, value: unknown) => (SECRET_KEY.test(key) ? '[redacted]' : value));
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    write(`→ ${text(message)}`);
    return send(message, options);
  };
  let receive: typeof transport.onmessage;
  Object.defineProperty(transport, 'onmessage', {
    get: () =>
      receive === undefined
        ? undefined
        : (message: never) => {
            write(`← ${text(message)}`);
            receive?.(message);
          },
    set: (next: typeof transport.onmessage) => (receive = next),
  });
}
