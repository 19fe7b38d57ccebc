import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { GatewayError, once } from 'pegboard';
import { fillReferences, helpedBy, secretsGiven } from 'pegboard/kit';
import type { Log } from 'pegboard';
import type { Filled } from 'pegboard/kit';
import type { CallerCredential } from '../../contracts/credentials.ts';
import { fillCallerReferences } from '../../kit/oauth/authRules.ts';
import type { RemoteTransport } from '../client/options.ts';
import type { ServerDefinition } from '../definition.ts';
import type { UpstreamContext } from './context.ts';
import { fillSecretReferences, placeIn } from './fillSecretReferences.ts';
import { parentsVariable } from './parents.ts';
import { prepared } from './prepared.ts';
import { routeOf, secretsOfRoute } from './routeOf.ts';
import { StandardError } from '../client/wire/standardError.ts';
import type { HttpOptions } from '../client/wire/httpWire.ts';
import type { SseOptions } from '../client/wire/sseWire.ts';
import { StdioWire } from '../client/wire/stdioWire.ts';
import { unixAddress } from '../client/wire/unixAddress.ts';
import type { MemoryOf, Wire, WireListener } from '../client/wire/wire.ts';

/** There may be thousands of callers, who call from time to time: idle connections of each would exhaust the file descriptors. */
const OWN_IDLE_MS = 4_000;

/** What a connection sends for its owner. */
export type OwnCredential = Pick<CallerCredential, 'headers' | 'values' | 'secrets' | 'prepare'>;

/** What a connection needs of its dialer. */
export type Dialing = Pick<Dialer, 'log' | 'output' | 'dial'>;

/** Makes the wires of one connection, and has what its process writes. */
export class Dialer {
  readonly log: Log;
  readonly output: StandardError;
  readonly #context: UpstreamContext;
  readonly #credential: OwnCredential | undefined;
  readonly #memory: MemoryOf;

  /** @param log with the server's name @param credential of the connection's owner; absent for the shared one */
  constructor(context: UpstreamContext, server: string, log: Log, credential?: OwnCredential) {
    this.log = log;
    this.output = new StandardError(log, context.config);
    this.#context = context;
    this.#credential = credential;
    this.#memory = (about) => context.memory()?.open('answer', about?.sharer ?? `server ${server}`);
  }

  /** Creates the wire for a definition, not opened yet. @param definition whose type is the transport to use
   *  @throws GatewayError CONFIG_REFERENCE, CONFIG_INVALID, UPSTREAM_AUTH_REQUIRED, UPSTREAM_TIMEOUT; as SecretSource.read() */
  async dial(definition: ServerDefinition, listener: WireListener): Promise<Wire> {
    const credential = this.#credential;
    if (credential !== undefined) await prepared(credential, definition.timeoutMs);
    else if (definition.auth.callerSecrets.length > 0) throw wantsCallers(definition);
    return definition.type === 'stdio'
      ? this.#process(definition, listener)
      : this.#remote(definition, definition.type === 'sse' ? 'sse' : 'streamable-http', listener);
  }

  async #process(definition: ServerDefinition, listener: WireListener): Promise<Wire> {
    const { config, watchdog } = this.#context;
    const { output } = this;
    const { values: own, secrets } = await filled(definition.env, 'env', this.#context);
    const words = await filled(namedWords(definition), '', this.#context);
    const command = Object.values(words.values);
    const folder = definition.cwd === undefined ? undefined : await this.#folder(definition.cwd);
    const hidden = [...secrets, ...words.referred, ...secretsOf(this.#credential)];
    const base = inherited(config().inheritEnv);
    // Proxies and registries have passwords in their urls.
    output.hide(secretsGiven({ values: hidden, words: [...Object.values(base), ...command] }));
    output.begin();
    const parents = await parentsVariable(this.#context.directory());
    const env = { ...base, ...parents, ...fillCallerReferences(own, this.#credential?.values ?? {}) };
    const { maxMessageBytes, maxQueuedBytes } = config();
    return new StdioWire(
      {
        command,
        folder,
        env,
        watchdog,
        output,
        memory: this.#memory,
        maxMessageBytes,
        maxQueuedBytes,
        graces: config,
        limits: config,
      },
      listener,
    );
  }

  /** @throws GatewayError CONFIG_REFERENCE, CONFIG_INVALID */
  async #folder(given: string): Promise<string> {
    const { cwd = '' } = (await filled({ cwd: given }, '', this.#context)).values;
    const folder = resolve(this.#context.directory(), cwd);
    if (await isFolder(folder)) return folder;
    // As it is written: what a reference holds may be secret.
    const text = `cwd of the definition is not a folder: ${given}`;
    throw helpedBy({ do: 'edit', what: 'correct it' }, 'CONFIG_INVALID', text);
  }

  async #remote(definition: ServerDefinition, type: RemoteTransport, listener: WireListener): Promise<Wire> {
    const { config, trusts } = this.#context;
    const { output } = this;
    const credential = this.#credential;
    const { url: given, messageUrl: messages } = definition;
    const urls: Record<string, string> =
      messages === undefined ? { url: given } : { url: given, messageUrl: messages };
    const place = await filled(urls, '', this.#context);
    const { url: address = '', messageUrl } = place.values;
    const unix = unixAddress(address);
    const url = unix?.url ?? (URL.canParse(address) ? new URL(address) : undefined);
    if (url === undefined || !/^https?:$/.test(url.protocol)) {
      throw new GatewayError('CONFIG_INVALID', 'url of the definition is not an http or https URL');
    }
    if (messageUrl !== undefined && !isAtOrigin(messageUrl, url))
      throw new GatewayError('CONFIG_INVALID', 'messageUrl of the definition is not at the origin of url');
    const { values, secrets: ofHeaders } = await filled(definition.headers, 'headers', this.#context);
    const route = await routeOf(url, definition.proxy, this.#context);
    const secrets = [...ofHeaders, ...secretsOfRoute(route)];
    const hide = (): void =>
      output.hide(
        secretsGiven({ values: [...secrets, ...place.referred, ...secretsOf(credential)], url: address }),
      );
    hide();
    const { timeoutMs: connectMs, tls } = definition;
    const options = {
      ...config(),
      trust: trusts(tls),
      proxyTrust: trusts(),
      servername: tls?.servername,
      hasCertificate: tls?.cert !== undefined,
      limits: config,
      url,
      route,
      headers: headersWith(fillCallerReferences(values, credential?.values ?? {}), credential, hide),
      connectMs,
      redact: (text: string) => output.redact(text),
      memory: this.#memory,
      ...(credential !== undefined && { maxIdleMs: OWN_IDLE_MS }),
      ...(messageUrl !== undefined && { messageUrl: new URL(messageUrl) }),
      socketPath: unix?.socketPath,
    };
    return remoteWire(type, options, listener);
  }
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
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

// Each import() asks the resolver in another thread, also for a module that is there.
const sseWire = once(() => import('../client/wire/sseWire.ts'));
const httpWire = once(() => import('../client/wire/httpWire.ts'));

/** Creates a wire over HTTP, not opened yet. The module is imported at the first call. */
export async function remoteWire(
  type: RemoteTransport,
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
  { directory, secrets }: Pick<UpstreamContext, 'directory' | 'secrets'>,
): Promise<Filled> {
  const found = fillReferences(texts, directory());
  const [fault] = found.faults;
  if (fault === undefined) return fillSecretReferences(found, secrets(), field);
  const { message } = fault;
  const at = message.indexOf('; ');
  const text = `${placeIn(field, fault.name)} ${at < 0 ? message : message.slice(0, at)}`;
  if (at < 0) throw new GatewayError('CONFIG_REFERENCE', text);
  throw helpedBy({ do: 'say', what: message.slice(at + 2) }, 'CONFIG_REFERENCE', text);
}

/** The words of the command by their places, in order. */
function namedWords({ command }: ServerDefinition): Readonly<Record<string, string>> {
  return Object.fromEntries(command.map((word, at) => [`word ${at + 1} of command and args`, word]));
}

function inherited(names: readonly string[]): Record<string, string> {
  const found = names.map((name) => [name, process.env[name]] as const);
  return Object.fromEntries(found.filter((pair): pair is [string, string] => pair[1] !== undefined));
}
