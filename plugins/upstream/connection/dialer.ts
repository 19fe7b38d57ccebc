import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { GatewayError, once } from 'pegboard';
import { fillReferences, helpedBy, secretsGiven } from 'pegboard/kit';
import type { Log } from 'pegboard';
import type { Filled } from 'pegboard/kit';
import { fillCallerReferences } from '../../kit/oauth/authRules.ts';
import { farLookup } from '../../kit/http/farLookup.ts';
import { sharedKeyClient } from '../../kit/tls/sharedKey.ts';
import type { SharedKeyClient } from '../../kit/tls/sharedKey.ts';
import { inTurn } from '../../kit/limits/inTurn.ts';
import type { RemoteTransport } from '../client/options.ts';
import type { ServerDefinition } from '../definition.ts';
import type { UpstreamContext } from './context.ts';
import type { SecretSource } from '../../contracts/secrets.ts';
import { fillSecretReferences, placeIn } from './fillSecretReferences.ts';
import { headersWith, secretsOf } from './headersWith.ts';
import type { OwnCredential } from './headersWith.ts';
import { parentsVariable } from './parents.ts';
import { podOf, textsInPod } from './podOf.ts';
import { prepared } from './prepared.ts';
import { routeOf, secretsOfRoute } from './routeOf.ts';
import { spawned } from './spawned.ts';
import { UsedSecrets } from './usedSecrets.ts';
import { StandardError } from '../client/wire/standardError.ts';
import type { SseOptions } from '../client/wire/sseWire.ts';
import { StdioWire } from '../client/wire/stdioWire.ts';
import { unixAddress } from '../client/wire/unixAddress.ts';
import type { MemoryOf, Wire, WireListener } from '../client/wire/wire.ts';

/** There may be thousands of callers, who call from time to time: idle connections of each would exhaust the file descriptors. */
const OWN_IDLE_MS = 4_000;

/** Texts that the headers of a wire had before and that are still hidden. */
const MAX_HIDDEN = 100;

/** What references are filled from. */
type Filling = Pick<UpstreamContext, 'directory' | 'secrets'>;

export type { OwnCredential };

/** What a connection needs of its dialer. */
export type Dialing = Pick<Dialer, 'log' | 'output' | 'secrets' | 'dial' | 'refill'>;

/** Fills the headers of a wire from another source of secrets. */
type Refill = (source: SecretSource) => Promise<void>;

/** Makes the wires of one connection, and has what its process writes. */
export class Dialer {
  readonly log: Log;
  readonly output: StandardError;
  /** Those of the last wire. */
  readonly secrets = new UsedSecrets();
  readonly #context: UpstreamContext;
  readonly #server: string;
  readonly #credential: OwnCredential | undefined;
  readonly #memory: MemoryOf;
  /** One secret after another, because each is filled in with what is noted of the others. */
  readonly #refilling = inTurn();
  /** Undefined if the last wire cannot get other secrets. */
  #refill: Refill | undefined;

  /** @param log with the server's name @param credential of the connection's owner; absent for the shared one */
  constructor(context: UpstreamContext, server: string, log: Log, credential?: OwnCredential) {
    this.log = log;
    this.output = new StandardError(log, context.config);
    this.#context = context;
    this.#server = server;
    this.#credential = credential;
    this.#memory = (about) => context.memory()?.open('answer', about?.sharer ?? `server ${server}`);
  }

  /** Creates the wire for a definition, not opened yet. @param definition whose type is the transport to use
   *  @throws GatewayError CONFIG_REFERENCE, CONFIG_INVALID, UPSTREAM_AUTH_REQUIRED, UPSTREAM_TIMEOUT; as SecretSource.read() */
  async dial(definition: ServerDefinition, listener: WireListener): Promise<Wire> {
    const credential = this.#credential;
    this.secrets.clear(definition.secretNamespace);
    this.#refill = undefined;
    if (credential !== undefined) await prepared(credential, definition.timeoutMs);
    else if (definition.auth.callerSecrets.length > 0) throw wantsCallers(definition);
    if (definition.isInPod) return this.#inPod(definition, listener);
    return definition.type === 'stdio'
      ? this.#process(definition, listener)
      : this.#remote(definition, definition.type === 'sse' ? 'sse' : 'streamable-http', listener);
  }

  /** Sends other texts of a secret with the next request of the last wire.
   *  @returns false if it has to be made anew: it is a process, or the secret may be in its address
   *  @throws GatewayError CONFIG_REFERENCE, STORE_NOT_FOUND; its headers are as before */
  refill(secret: string, texts: ReadonlyMap<string, string>): Promise<boolean> {
    return this.#refilling(async () => {
      const refill = this.#refill;
      if (refill === undefined) return false;
      await refill(this.secrets.with(secret, texts));
      this.secrets.renew(secret, texts);
      return true;
    });
  }

  /** What references are filled from; which secrets that were is noted. */
  get #filling(): Filling {
    const { directory, secrets } = this.#context;
    const source = secrets();
    return { directory, secrets: () => source && this.secrets.noting(source) };
  }

  async #process(definition: ServerDefinition, listener: WireListener): Promise<Wire> {
    const { config, watchdog } = this.#context;
    const { output } = this;
    const { values: own, secrets } = await filled(definition.env, 'env', this.#filling);
    const words = await filled(namedWords(definition), '', this.#filling);
    const command = Object.values(words.values);
    const folder = definition.cwd === undefined ? undefined : await this.#folder(definition.cwd);
    const hidden = [...secrets, ...words.referred, ...secretsOf(this.#credential)];
    const base = inherited(config().inheritEnv);
    // Proxies and registries have passwords in their urls.
    output.hide(secretsGiven({ values: hidden, words: [...Object.values(base), ...command] }));
    output.begin();
    const parents = await parentsVariable(this.#context.directory());
    const env = { ...base, ...parents, ...fillCallerReferences(own, this.#credential?.values ?? {}) };
    const isConfined = (definition.isolate ?? config().isolate) !== 'none';
    const run =
      definition.source === undefined
        ? command
        : await (
            await pinnedCommand()
          ).pinnedCommand(command, definition, isConfined ? { ...base, ...parents } : env, this.#context);
    const { maxMessageBytes, maxQueuedBytes } = config();
    const plain = { server: this.#server, command: run, folder, env };
    return new StdioWire(
      {
        command,
        spawned: await spawned(this.#context, definition, plain),
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
    const { cwd = '' } = (await filled({ cwd: given }, '', this.#filling)).values;
    const folder = resolve(this.#context.directory(), cwd);
    if (await isFolder(folder)) return folder;
    // As it is written: what a reference holds may be secret.
    const text = `cwd of the definition is not a folder: ${given}`;
    throw helpedBy({ do: 'edit', what: 'correct it' }, 'CONFIG_INVALID', text);
  }

  async #inPod(definition: ServerDefinition, listener: WireListener): Promise<Wire> {
    const { url, key } = await podOf(this.#context, this.#server, definition);
    const dialled = { ...definition, url, proxy: 'none' };
    return this.#remote(dialled, 'streamable-http', listener, sharedKeyClient(key));
  }

  async #remote(
    definition: ServerDefinition,
    type: RemoteTransport,
    listener: WireListener,
    shared?: SharedKeyClient,
  ): Promise<Wire> {
    const { config, trusts } = this.#context;
    const { output } = this;
    const credential = this.#credential;
    const { url: given, messageUrl: messages } = definition;
    const urls: Record<string, string> =
      messages === undefined ? { url: given } : { url: given, messageUrl: messages };
    const place = await filled(urls, '', this.#filling);
    const { url: address = '', messageUrl } = place.values;
    const unix = unixAddress(address);
    const url = unix?.url ?? (URL.canParse(address) ? new URL(address) : undefined);
    if (url === undefined || !/^https?:$/.test(url.protocol)) {
      throw new GatewayError('CONFIG_INVALID', 'url of the definition is not an http or https URL');
    }
    if (messageUrl !== undefined && !isAtOrigin(messageUrl, url))
      throw new GatewayError('CONFIG_INVALID', 'messageUrl of the definition is not at the origin of url');
    const route = await routeOf(url, definition.proxy, { config, ...this.#filling });
    const isInHeadersOnly = this.secrets.all.size === 0;
    let own: Readonly<Record<string, string>> = {};
    let secrets: readonly Filled['secrets'][number][] = [];
    const fill = async (filling: Filling): Promise<void> => {
      const { values, secrets: ofHeaders } = await filled(definition.headers, 'headers', filling);
      own = fillCallerReferences(values, credential?.values ?? {});
      // The server may still repeat what it was sent before.
      secrets = [...ofHeaders, ...secrets.slice(0, MAX_HIDDEN)];
    };
    await fill(this.#filling);
    if (isInHeadersOnly)
      this.#refill = async (source) => {
        await fill({ ...this.#filling, secrets: () => source });
        hide();
      };
    const hide = (): void =>
      output.hide(
        secretsGiven({
          values: [
            ...secrets,
            ...textsInPod(definition),
            ...secretsOfRoute(route),
            ...place.referred,
            ...secretsOf(credential),
          ],
          url: address,
        }),
      );
    hide();
    const { timeoutMs: connectMs, tls } = definition;
    const options = {
      ...config(),
      trust: shared?.secureContext ?? trusts(tls),
      pskCallback: shared?.pskCallback,
      proxyTrust: trusts(),
      servername: tls?.servername,
      hasCertificate: tls?.cert !== undefined,
      limits: config,
      url,
      route,
      headers: headersWith(() => own, credential, hide),
      connectMs,
      redact: (text: string) => output.redact(text),
      memory: this.#memory,
      ...(credential !== undefined && { maxIdleMs: OWN_IDLE_MS }),
      ...(messageUrl !== undefined && { messageUrl: new URL(messageUrl) }),
      socketPath: unix?.socketPath,
      // Who wrote it may be someone else than who runs the gateway.
      lookup: definition.secretNamespace === undefined ? undefined : farLookup,
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

function wantsCallers({ auth }: ServerDefinition): GatewayError {
  const names = auth.callerSecrets.join(', ');
  const text = `each caller has a connection of their own, with secrets that only they know: ${names}`;
  return new GatewayError('UPSTREAM_AUTH_REQUIRED', text);
}

// Each import() asks the resolver in another thread, also for a module that is there.
const sseWire = once(() => import('../client/wire/sseWire.ts'));
const pinnedCommand = once(() => import('./pinnedCommand.ts'));
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
  { directory, secrets }: Filling,
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
