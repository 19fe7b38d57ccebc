import { GatewayError, fillReferences, secretsGiven } from 'pegboard';
import type { Filled } from 'pegboard';
import type { CallerCredential } from '../../contracts/credentials.ts';
import type { SecretSource } from '../../contracts/secrets.ts';
import { fillCallerReferences } from '../../kit/oauth/authRules.ts';
import type { TlsFiles, TlsTrust } from '../../kit/tls/tlsTrust.ts';
import type { UpstreamConfig } from '../config.ts';
import type { ServerDefinition } from '../definition.ts';
import { fillSecretReferences, placeIn } from './fillSecretReferences.ts';
import { prepared } from './prepared.ts';
import { routeOf, secretsOfRoute } from './routeOf.ts';
import type { StandardError } from '../wire/standardError.ts';
import type { Watchdog } from '../wire/watchdog.ts';
import type { HttpOptions } from '../wire/httpWire.ts';
import type { SseOptions } from '../wire/sseWire.ts';
import { importOnce } from '../wire/importOnce.ts';
import { StdioWire } from '../wire/stdioWire.ts';
import { unixAddress } from '../wire/unixAddress.ts';
import type { MemoryOf, Wire, WireListener } from '../wire/wire.ts';

/** There may be thousands of callers, who call from time to time: idle connections of each would exhaust the file descriptors. */
const OWN_IDLE_MS = 4_000;

export interface DialParts {
  readonly config: () => UpstreamConfig;
  readonly watchdog: Watchdog;
  readonly trusts: (files?: TlsFiles) => TlsTrust;
  /** Base directory of relative `${file:…}` references. */
  readonly directory: string;
  readonly memory: MemoryOf;
  /** The source of `${secret:…}` references. */
  readonly secrets: () => SecretSource | undefined;
  readonly output: StandardError;
}

/** What a connection sends for its owner. */
export type OwnCredential = Pick<CallerCredential, 'headers' | 'values' | 'secrets' | 'prepare'>;

/** Creates the wire for a definition, not opened yet.
 *  @param credential of the owner of the connection; undefined for the shared one
 *  @throws GatewayError CONFIG_REFERENCE, CONFIG_INVALID, UPSTREAM_AUTH_REQUIRED, UPSTREAM_TIMEOUT; as SecretSource.read() */
export async function dial(
  definition: ServerDefinition,
  listener: WireListener,
  { credential, ...parts }: DialParts & { readonly credential?: OwnCredential | undefined },
): Promise<Wire> {
  if (credential !== undefined) await prepared(credential, definition.timeoutMs);
  const { watchdog, output, config, trusts, memory } = parts;
  if (credential === undefined && definition.auth.callerSecrets.length > 0) throw wantsCallers(definition);
  if (definition.type === 'stdio') {
    const { values: own, secrets } = await filled(definition.env, 'env', parts);
    const words = await filled(namedWords(definition), '', parts);
    const command = Object.values(words.values);
    const hidden = [...secrets, ...referredIn(words), ...secretsOf(credential)];
    const base = inherited(config().inheritEnv);
    // Proxies and registries have passwords in their urls.
    output.hide(secretsGiven({ values: hidden, words: [...Object.values(base), ...command] }));
    output.begin();
    const env = {
      ...base,
      ...fillCallerReferences(own, credential?.values ?? {}),
    };
    const { maxMessageBytes, maxQueuedBytes } = config();
    return new StdioWire(
      {
        command,
        env,
        watchdog,
        output,
        memory,
        maxMessageBytes,
        maxQueuedBytes,
        graces: config,
        limits: config,
      },
      listener,
    );
  }
  const { url: given, messageUrl: messages } = definition;
  const place = await filled(
    messages === undefined ? { url: given } : { url: given, messageUrl: messages },
    '',
    parts,
  );
  const { url: address = '', messageUrl } = place.values;
  const unix = unixAddress(address);
  const url = unix?.url ?? (URL.canParse(address) ? new URL(address) : undefined);
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new GatewayError('CONFIG_INVALID', 'url of the definition is not an http or https URL');
  }
  if (messageUrl !== undefined && !isAtOrigin(messageUrl, url))
    throw new GatewayError('CONFIG_INVALID', 'messageUrl of the definition is not at the origin of url');
  const { values, secrets: ofHeaders } = await filled(definition.headers, 'headers', parts);
  const route = await routeOf(url, definition.proxy, parts);
  const secrets = [...ofHeaders, ...secretsOfRoute(route)];
  const hide = (): void =>
    output.hide(
      secretsGiven({ values: [...secrets, ...referredIn(place), ...secretsOf(credential)], url: address }),
    );
  hide();
  const headers = headersWith(fillCallerReferences(values, credential?.values ?? {}), credential, hide);
  const { timeoutMs: connectMs, tls } = definition;
  const { servername, cert } = tls ?? {};
  const trust = { trust: trusts(tls), proxyTrust: trusts(), servername, hasCertificate: cert !== undefined };
  const redact = (text: string): string => output.redact(text);
  const options = {
    ...config(),
    ...trust,
    limits: config,
    url,
    route,
    headers,
    connectMs,
    redact,
    memory,
    ...(credential !== undefined && { maxIdleMs: OWN_IDLE_MS }),
    ...(messageUrl !== undefined && { messageUrl: new URL(messageUrl) }),
    socketPath: unix?.socketPath,
  };
  return remoteWire(definition.type, options, listener);
}

function isAtOrigin(address: string, { origin }: URL): boolean {
  return URL.canParse(address) && new URL(address).origin === origin;
}

/** Those of the credential replace those of the definition. @param changed called when the credential has others */
function headersWith(
  own: Readonly<Record<string, string>>,
  credential: OwnCredential | undefined,
  changed: () => void,
): HttpOptions['headers'] {
  if (credential === undefined) return () => own;
  let [seen, both] = [credential.headers, { ...own }];
  const merge = (): void => {
    seen = credential.headers;
    const names = new Set(Object.keys(seen).map((name) => name.toLowerCase()));
    const kept = Object.entries(own).filter(([name]) => !names.has(name.toLowerCase()));
    both = { ...Object.fromEntries(kept), ...seen };
  };
  merge();
  return () => {
    if (credential.headers === seen) return both;
    merge();
    changed();
    return both;
  };
}

function secretsOf(credential: OwnCredential | undefined): readonly (readonly [string, string])[] {
  return (credential?.secrets ?? []).map((text) => ['credential', text] as const);
}

function wantsCallers({ auth }: ServerDefinition): GatewayError {
  const names = auth.callerSecrets.join(', ');
  const text = `each caller has a connection of their own, with secrets that only they know: ${names}`;
  return new GatewayError('UPSTREAM_AUTH_REQUIRED', text);
}

const sseWire = importOnce(() => import('../wire/sseWire.ts'));
const httpWire = importOnce(() => import('../wire/httpWire.ts'));

/** Creates a wire over HTTP, not opened yet. The module is imported at the first call. */
export async function remoteWire(
  type: 'streamable-http' | 'sse',
  options: SseOptions,
  listener: WireListener,
): Promise<Wire> {
  if (type === 'sse') return new (await sseWire()).SseWire(options, listener);
  return new (await httpWire()).HttpWire(options, listener);
}

/** @param field the key of the definition that has the texts; empty if their names say it */
async function filled(
  texts: Readonly<Record<string, string>>,
  field: 'env' | 'headers' | '',
  { directory, secrets }: Pick<DialParts, 'directory' | 'secrets'>,
): Promise<Filled> {
  const found = fillReferences(texts, directory);
  const [fault] = found.faults;
  if (fault === undefined) return fillSecretReferences(found, secrets(), field);
  throw new GatewayError('CONFIG_REFERENCE', `${placeIn(field, fault.name)} ${fault.message}`);
}

/** What came from references in texts that are not secret as a whole. */
function referredIn({ values, secrets }: Filled): Filled['secrets'] {
  return secrets.slice(Object.keys(values).length);
}

/** The words of the command by their places, in order. */
function namedWords({ command }: ServerDefinition): Readonly<Record<string, string>> {
  return Object.fromEntries(command.map((word, at) => [`word ${at + 1} of command and args`, word]));
}

function inherited(names: readonly string[]): Record<string, string> {
  const found = names.map((name) => [name, process.env[name]] as const);
  return Object.fromEntries(found.filter((pair): pair is [string, string] => pair[1] !== undefined));
}
