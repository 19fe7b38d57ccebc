import { GatewayError, isGatewayError, isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { MODERN_REVISION } from './dialect.ts';
import type { HandshakeParts } from './handshake.ts';
import { UNSUPPORTED_VERSION } from './otherEra.ts';
import type { Requests } from './requests.ts';
import { rpcText } from './rpcText.ts';
import { factsFrom } from './serverFacts.ts';
import type { ServerFacts } from './serverFacts.ts';
import { wrongRevision } from './wrongRevision.ts';

const SERVER_INFO_KEY = 'io.modelcontextprotocol/serverInfo';

/** server/discover. Source: MCP 2026-07-28, Discovery
 *  @throws GatewayError UPSTREAM_PROTOCOL when no revision fits or the answer is incomplete, UPSTREAM_TIMEOUT, UPSTREAM_ERROR */
export async function discover(
  requests: Requests,
  { timeoutMs, ownWords }: Pick<HandshakeParts, 'timeoutMs' | 'ownWords'>,
): Promise<ServerFacts> {
  requests.speak('modern');
  const answer = await requests.ask(rpcText('server/discover'), timeoutMs).catch((error: unknown) => {
    throw isGatewayError(error) ? inWords(error, ownWords) : error;
  });
  const { supportedVersions, capabilities, instructions, _meta: meta } = JSON.parse(answer) as JsonObject;
  if (!Array.isArray(supportedVersions)) throw incomplete('supportedVersions');
  if (!supportedVersions.includes(MODERN_REVISION)) throw wrongRevision(supportedVersions, ownWords);
  if (!isObject(capabilities)) throw incomplete('capabilities');
  const serverInfo = isObject(meta) ? meta[SERVER_INFO_KEY] : undefined;
  const said = { serverInfo, capabilities, instructions };
  return factsFrom({ era: 'modern', protocolVersion: MODERN_REVISION, ...said }, ownWords);
}

function inWords(error: GatewayError, ownWords: (text: string) => string): GatewayError {
  const { code, data } = error.details as { readonly code?: unknown; readonly data?: unknown };
  if (code !== UNSUPPORTED_VERSION || !isObject(data)) return error;
  return wrongRevision(data['supported'], ownWords);
}

function incomplete(member: string): GatewayError {
  return new GatewayError('UPSTREAM_PROTOCOL', `server/discover was answered without ${member}`);
}
