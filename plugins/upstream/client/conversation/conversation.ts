import { setTimeout as pause } from 'node:timers/promises';
import { GatewayError, isObject, plainText } from 'pegboard';
import type { CallResult, Client, JsonObject, Log } from 'pegboard';
import { rawMember } from '../../../kit/text/rawJson.ts';
import { setNewest } from '../../../kit/limits/setNewest.ts';
import { callLimitsOf, type ServerOptions, type Topic } from '../options.ts';
import type { ServerFacts } from '../revision/serverFacts.ts';
import type { UpstreamConfig } from '../../config.ts';
import type { Ticker } from '../rpc/ticker.ts';
import type { LastEra } from '../revision/lastEra.ts';
import { LIST_CHANGES, ListingReader } from './listing.ts';
import type { ListingParts } from './listing.ts';
import { EraChoice } from './eraChoice.ts';
import { Listening } from './listening.ts';
import type { QuestionParts } from './questions.ts';
import { Questions } from './questions.ts';
import { notConnected } from '../rpc/requestErrors.ts';
import { Requests } from '../rpc/requests.ts';
import type { RequestOptions, Said } from '../rpc/pending.ts';
import type { RequestHooks } from '../rpc/requestHooks.ts';
import { Rounds } from './rounds.ts';
import { rpcText } from '../rpc/rpcText.ts';
import type { RpcText } from '../rpc/rpcText.ts';
import type { ServerLogs } from './serverLogs.ts';
import { PerSecond } from '../perSecond.ts';
import { Watches, notWatchable } from './watches.ts';

/** Servers of older revisions send log messages of a call on another stream or behind its answer, which ends the only stream of
 *  a client without a session. They came up to 12 ms later on a busy machine. */
const LATE_LOG_MS = 20;

export interface ConversationParts
  extends
    Omit<RequestHooks, 'notified' | 'asked' | 'limits' | 'lateLimits' | 'incomplete' | 'logLevel'>,
    Pick<QuestionParts, 'isUnowned' | 'newTopic'>,
    Pick<ListingParts, 'readAhead' | 'reread'> {
  readonly config: () => UpstreamConfig;
  readonly ticker: Ticker;
  readonly log: Log;
  readonly logs: ServerLogs;
  readonly lastEra: LastEra;
  readonly options: () => ServerOptions;
  /** Whether it belongs to one session or caller. */
  readonly isOwn: boolean;
  /** False for an instance that has the lists of the shared connection. */
  readonly readsLists: boolean;
  /** A server that is closing must not cause its lists to be read. */
  readonly isListening: () => boolean;
}

/** All messages exchanged with one server, over any number of connections. */
export class Conversation {
  readonly requests: Requests;
  readonly lists: ListingReader;
  readonly watches: Watches;
  readonly questions: Questions;
  readonly redact: (text: string) => string;
  /** Id of the server's process, while it is connected; undefined for a remote server. */
  pid: number | undefined;
  readonly #listening: Listening;
  readonly #rounds: Rounds;
  readonly #choice: EraChoice;
  readonly #server: string;
  readonly #parts: ConversationParts;
  #facts: ServerFacts | undefined;
  #lastClient: Client | undefined;
  readonly #askedByUrl = new Map<string, Client>();
  /** Log messages to clients. */
  readonly #relayed: PerSecond;

  constructor(server: string, parts: ConversationParts) {
    const { config, options, isOwn, log } = parts;
    const timeoutMs = (): number => options().timeoutMs;
    this.#server = server;
    this.#parts = parts;
    this.redact = (text) => parts.output.redact(text);
    this.#relayed = new PerSecond(
      () => config().maxRelayedPerSecond,
      (messages) => log.info('log messages of a server were not delivered', { server, messages }),
    );
    this.requests = new Requests(server, parts.ticker, {
      limits: (tool) => callLimitsOf(tool, options(), config()),
      lateLimits: config,
      refusal: parts.refusal,
      output: parts.output,
      lost: parts.lost,
      upkeep: parts.upkeep,
      ...(parts.received && { received: parts.received }),
      notified: (said) => this.#notified(said),
      topics: () => parts.topics(),
      logLevel: () => parts.logs.level,
      incomplete: (json, round) => this.#rounds.next(json, round),
      asked: (id, said) => this.questions.asked(id, isOwn ? ofLastCall(said) : said),
    });
    this.lists = new ListingReader(this.requests, {
      ...parts,
      limits: () => ({ ...config(), timeoutMs: timeoutMs() }),
      hears: () => (this.requests.era === 'modern' ? this.#listening.isCurrent : this.requests.hears),
    });
    this.watches = new Watches(
      (uri) => this.#subscribe(uri),
      (uri) => this.#change('resources/unsubscribe', uri),
    );
    this.#listening = new Listening({
      server,
      requests: this.requests,
      log,
      timeoutMs,
      waits: config,
      wantsLists: parts.readsLists,
      uris: () => this.watches.uris,
      missed: () => this.missed(),
    });
    this.#rounds = new Rounds(server, this.requests, config, () => parts.topics());
    this.#choice = new EraChoice({
      server,
      requests: this.requests,
      lastEra: parts.lastEra,
      redact: this.redact,
      // An instance that has the lists of the shared connection keeps state in its session.
      isDual: () => parts.readsLists && this.#facts?.isDual === true,
      learned: parts.newTopic,
    });
    this.questions = new Questions({
      server,
      config: () => ({ ...config(), questions: this.#asked }),
      isUnowned: parts.isUnowned,
      newTopic: parts.newTopic,
      reply: (text) => this.requests.reply(text),
      asksByUrl: (id, client) => setNewest(this.#askedByUrl, [id, client], config().maxUrlElicitations),
    });
  }

  /** Each call says whose it is. */
  usedBy(client: Client | undefined): void {
    if (client !== undefined) this.#lastClient = client;
  }
  /** As Requests.call, in the era in which the server can ask. */
  call(what: string, text: RpcText, options: RequestOptions): Promise<CallResult> {
    const answer = this.#choice.call(what, text, options);
    if (options.client?.endsLogs !== true || !this.#isToLog) return answer;
    return answer.then(async (result) => {
      await pause(LATE_LOG_MS);
      return result;
    });
  }
  /** Whether its level is set for all calls alike. */
  get #isToLog(): boolean {
    return this.#facts?.era === 'legacy' && this.#facts.capabilities['logging'] !== undefined;
  }

  get lastEra(): LastEra {
    return this.#parts.lastEra;
  }
  /** Another server has the name now. */
  forget(): void {
    this.questions.topics.clear();
    this.lastEra.reset();
    this.endRounds('changed');
  }
  /** Calls between two rounds fail: there is no server for the next one. */
  endRounds(what: 'changed' | 'stopped'): void {
    this.#rounds.end(new GatewayError('UPSTREAM_SUSPENDED', `server ${this.#server} was ${what}`));
  }
  /** The questions whose capabilities are to be declared to the server. */
  get topics(): readonly Topic[] {
    return this.#parts.topics();
  }
  /** Those that were. */
  get #asked(): readonly Topic[] {
    return this.#facts?.declared === 'nothing' ? [] : this.topics;
  }

  /** Whether a request is running, a client is asked, or a resource is watched. */
  get isBusy(): boolean {
    return this.requests.running > 0 || this.#rounds.isOpen || !this.watches.isEmpty;
  }

  /** A text of the server about itself, redacted and without control characters. */
  ownWords(text: string): string {
    return plainText(this.#parts.output.hideInProse(text));
  }

  /** Repeats the subscriptions and the log level on a new connection. */
  connected(facts: ServerFacts): void {
    this.#facts = facts;
    if (facts.era === 'modern') {
      this.#listening.begin(facts.capabilities);
      return;
    }
    for (const uri of this.watches.uris) this.#ask('resources/subscribe', { uri });
    this.wantLogs();
  }

  /** Sends the log level that clients want to the server; in the modern era, each request has it. */
  wantLogs(): void {
    const { level } = this.#parts.logs;
    if (level !== undefined && this.#isToLog) this.#ask('logging/setLevel', { level });
  }

  /** @param uri the server's own @returns the function that unsubscribes @throws GatewayError UPSTREAM_* */
  watch(uri: string, updated: () => void): Promise<() => void> {
    if (this.#facts === undefined)
      return Promise.reject(this.#parts.refusal() ?? notConnected(this.#server, `subscription to ${uri}`));
    const { era, capabilities } = this.#facts;
    const { resources } = capabilities;
    // Python's SDK declares none to older clients, and has them.
    const mayBeOffered = isObject(resources) && (era === 'legacy' || resources['subscribe'] === true);
    return mayBeOffered ? this.watches.add(uri, updated) : Promise.reject(notWatchable(this.#server, uri));
  }

  /** Watches what another connection was granted, from the next connection on if this one has ended.
   *  @returns the function that unsubscribes */
  watchAgain(uri: string, updated: () => void): () => void {
    const isNew = !this.watches.uris.includes(uri);
    const end = this.watches.again(uri, updated);
    if (isNew) this.#change('resources/subscribe', uri);
    return end;
  }

  async #subscribe(uri: string): Promise<void> {
    if (this.requests.era === 'legacy') {
      await this.requests.call(`subscription to ${uri}`, rpcText('resources/subscribe', { uri }), {});
      return;
    }
    const { resourceSubscriptions: honored } = await this.#listening.update();
    if (!Array.isArray(honored) || !honored.includes(uri)) throw notWatchable(this.#server, uri);
  }

  /** A new connection begins with what is watched then. */
  #change(method: 'resources/subscribe' | 'resources/unsubscribe', uri: string): void {
    if (this.#facts === undefined) return;
    if (this.requests.era === 'legacy') this.#ask(method, { uri });
    else this.#listening.update().catch((error: unknown) => this.#refused('subscriptions/listen', error));
  }

  /** A request whose failure changes nothing for clients. */
  #ask(method: string, params: JsonObject): void {
    const work = this.requests.ask(rpcText(method, params), this.#parts.options().timeoutMs);
    work.catch((error: unknown) => this.#refused(method, error));
  }
  #refused(method: string, error: unknown): void {
    const level = method === 'resources/subscribe' ? 'warn' : 'debug';
    this.#parts.log[level]('server rejected a request', { server: this.#server, method, error });
  }

  /** A ping is to show whether the server is still there. */
  doubted(): void {
    this.#parts.upkeep().doubted();
  }

  /** Notifications may have been lost. */
  missed(): void {
    for (const method of LIST_CHANGES) this.lists.notified(method);
    this.watches.missed();
  }

  /** The connection has ended. */
  ended(): void {
    this.#facts = undefined;
    this.#listening.end();
    this.lists.stop();
    this.questions.dropAll();
  }

  #notified(said: Said): void {
    const { method, params } = said;
    if (method === 'notifications/message') this.#relay(said);
    else if (method === 'notifications/cancelled')
      this.questions.takenBack(params['requestId'], params['reason']);
    else if (method === 'notifications/resources/updated') this.watches.updated(params['uri']);
    else if (method === 'notifications/elicitation/complete') this.#completed(said);
    else if (method === 'notifications/subscriptions/acknowledged') this.#listening.acknowledged(params);
    else if (this.#parts.isListening()) this.lists.notified(method);
  }

  /** One message may go to many clients: messages beyond `maxRelayedPerSecond` are dropped. */
  #relay(said: Said): void {
    const { logs, isOwn } = this.#parts;
    if (isOwn && this.#lastClient === undefined) return;
    if (!this.#relayed.mayGo()) return;
    const told = logs.said(this.#server, said, this.redact, { last: this.#lastClient, isOwn });
    this.#relayed.spend(Math.max(1, told));
  }

  #completed({ method, params, text }: Said): void {
    const id = params['elicitationId'];
    const client = typeof id === 'string' ? this.#askedByUrl.get(id) : undefined;
    if (client === undefined) return;
    this.#askedByUrl.delete(id as string);
    client.tell(method, rawMember(text, 'params') ?? '{}');
  }
}

/** The message with its last call only: all calls of an instance have one owner, so the last one is asked. */
function ofLastCall(said: Said): Said {
  return { ...said, about: said.about.slice(-1), late: [] };
}
