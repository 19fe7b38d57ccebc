import { setImmediate as nextTurn } from 'node:timers/promises';
import { GatewayError, isGatewayError, isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { MODERN_REVISION } from '../rpc/dialect.ts';
import type { HandshakeParts } from './handshake.ts';
import { patiently } from './patiently.ts';
import type { Patience } from './patiently.ts';
import { UNSUPPORTED_VERSION } from '../rpc/otherEra.ts';
import type { Requests } from '../rpc/requests.ts';
import { rpcText } from '../rpc/rpcText.ts';
import { factsFrom } from './serverFacts.ts';
import type { ServerFacts } from './serverFacts.ts';
import { wrongRevision } from './wrongRevision.ts';

const SERVER_INFO_KEY = 'io.modelcontextprotocol/serverInfo';

/** server/discover. Source: MCP 2026-07-28, Discovery
 *  @throws GatewayError UPSTREAM_PROTOCOL when no revision fits or the answer is incomplete, UPSTREAM_TIMEOUT, UPSTREAM_ERROR */
export async function discover(
  requests: Requests,
  { timeoutMs, ownWords, ...patience }: Pick<HandshakeParts, 'timeoutMs' | 'ownWords' | keyof Patience>,
): Promise<ServerFacts> {
  requests.speak('modern');
  const ask = (): Promise<string> =>
    patiently(() => requests.ask(rpcText('server/discover'), timeoutMs), patience);
  const answer = await ask().catch((error: unknown) => {
    const supported = supportedIn(error);
    if (supported === undefined) throw error;
    // The list is to be chosen from; more than once would never end.
    if (supported.includes(MODERN_REVISION)) return ask();
    throw wrongRevision(supported, MODERN_REVISION, ownWords);
  });
  await nextTurn();
  const { supportedVersions, capabilities, instructions, _meta: meta } = JSON.parse(answer) as JsonObject;
  if (!Array.isArray(supportedVersions)) throw incomplete('supportedVersions');
  if (!supportedVersions.includes(MODERN_REVISION))
    throw wrongRevision(supportedVersions, MODERN_REVISION, ownWords);
  if (!isObject(capabilities)) throw incomplete('capabilities');
  const serverInfo = isObject(meta) ? meta[SERVER_INFO_KEY] : undefined;
  const said = { serverInfo, capabilities, instructions };
  return factsFrom({ era: 'modern', protocolVersion: MODERN_REVISION, ...said }, ownWords);
}

/** The revisions named by a server that refuses ours. */
function supportedIn(error: unknown): readonly unknown[] | undefined {
  if (!isGatewayError(error)) return undefined;
  const { code, data } = error.details as { readonly code?: unknown; readonly data?: unknown };
  const supported = code === UNSUPPORTED_VERSION && isObject(data) ? data['supported'] : undefined;
  return Array.isArray(supported) ? supported : undefined;
}

function incomplete(member: string): GatewayError {
  return new GatewayError('UPSTREAM_PROTOCOL', `server/discover was answered without ${member}`);
}
