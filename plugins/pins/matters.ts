import { createHash } from 'node:crypto';
import { GatewayError } from 'pegboard';
import type { JsonObject, Resource, Scope, Tool } from 'pegboard';
import { ServerDeclarations } from '../contracts/pins.ts';
import { Tally } from '../kit/metrics/tally.ts';
import { shownText } from '../kit/text/shownText.ts';
import type { DiffWork } from '../kit/text/wordDiff.ts';
import { wordDiffText } from '../kit/text/wordDiff.ts';
import type { PinsConfig } from './config.ts';
import { pinned, widened } from './fingerprint.ts';
import type { PinKind } from './fingerprint.ts';
import { doingIn } from './judgedTool.ts';
import type { Held, Judgement } from './judgedTool.ts';
import type { PinBook } from './pinBook.ts';
import type { Matter, Sight } from './sight.ts';
import { Pendings } from './pendings.ts';
import { partChanges } from './partChanges.ts';
import type { PartChange } from './partChanges.ts';

const MAX_NAMED = 10;
/** What one answer compares: servers write the texts. */
const MAX_PAIRS = 1_000_000;
/** More than is asked of a person at once. */
const MAX_ASKED = 16_384;
/** Declarations that are shown before others get their turn. */
const AT_ONCE = 50;
type Mode = 'ignore' | 'warn' | 'hold' | 'block';

/** One thing that waits for an operator, or was refused. */
export interface ShownMatter extends JsonObject {
  readonly name: string;
  readonly kind: PinKind;
  readonly server: string;
  readonly state: Matter['doubt'];
  /** What is done about it. */
  readonly held: Held;
  readonly why: string;
  /** Hints that ask for more trust than was accepted. */
  readonly widens: readonly string[];
  readonly hash: string;
}

/** The same with what has changed, word by word. */
export interface ChangedMatter extends ShownMatter {
  /** Whether the accepted version is known. */
  readonly before: boolean;
  readonly changes: readonly PartChange[];
}
/** All that waits of one server, but what was refused. */
export interface PinSet {
  readonly server: string;
  readonly count: number;
  readonly hash: string;
  readonly all: readonly Judgement[];
}
export interface SettledPins {
  readonly server: string;
  readonly count: number;
}

/** What waits for an operator, and what is done about it meanwhile. */
export class Matters {
  readonly counts = new Tally();
  readonly #scope: Scope<PinsConfig>;
  readonly #book: PinBook;
  readonly #config: () => PinsConfig;
  readonly #pendings: Pendings;
  #modes: ReadonlyMap<string, PinsConfig['mode']> = new Map();
  /** Names that are to be reported, by server. */
  readonly #news = new Map<string, string[]>();

  constructor(scope: Scope<PinsConfig>, book: PinBook, config: () => PinsConfig) {
    this.#scope = scope;
    this.#book = book;
    this.#config = config;
    this.#pendings = new Pendings({
      versionsOf: (server) => scope.find(ServerDeclarations)?.of(server),
      judge: (sight, isMerged) => this.#judged(sight, isMerged),
    });
  }

  /** Takes what definitions say. */
  define(servers: readonly Resource[]): void {
    const pins = servers.map(
      ({ name, spec }) => [name, spec['pin'] as PinsConfig['mode'] | undefined] as const,
    );
    this.#modes = new Map(pins.map(([name, pin = {}]) => [name, pin]));
  }

  /** @returns undefined for what is as it was accepted. @param isMerged a tool of a family shows what all its servers declare now */
  judge(sight: Sight, isMerged = false): Judgement | undefined {
    const judgement = this.#judged(sight, isMerged);
    if (judgement === undefined) return undefined;
    const { matter } = judgement;
    if (this.#pendings.add({ judgement, isMerged }) && matter.doubt !== 'unread') this.#report(matter);
    return judgement;
  }
  judgeTool(tool: Tool): Judgement | undefined {
    const { server, declared, name, group } = tool;
    if (server === undefined || declared === undefined) return undefined;
    const own = String(declared['name']);
    return this.judge({ server, kind: 'tools', own, as: name, place: name, declared }, group !== undefined);
  }
  #judged(sight: Sight, isMerged: boolean): Judgement | undefined {
    const mode = this.#modeOf(sight);
    const matter = mode === 'ignore' ? undefined : this.#book.judge(sight, this.#config().pinFirst === 'ask');
    if (matter === undefined) return undefined;
    const { doubt } = matter;
    if (doubt === 'refused' || doubt === 'new') return { matter, held: 'blocked' };
    if (mode === 'warn' || doubt === 'unread') return { matter, held: 'warned' };
    const canHold = mode === 'hold' && doubt === 'changed' && !isMerged;
    const accepted = canHold ? this.#book.textOf(matter) : undefined;
    return accepted === undefined ? { matter, held: 'blocked' } : { matter, held: 'held', accepted };
  }

  #modeOf({ server, kind }: Sight): Mode {
    const [own, all] = [this.#modes.get(server), this.#config().mode];
    return modeIn(own, kind) ?? modeIn(all, kind) ?? 'warn';
  }

  forget(server: string): void {
    this.#pendings.forget(server);
  }
  get servers(): readonly string[] {
    return this.#pendings.servers;
  }

  /** Names of the tools of a server that are not as accepted. */
  toolsOf(server: string): readonly string[] {
    const tools = this.#pendings.seenOf(server).filter(({ matter }) => matter.kind === 'tools');
    return [...new Set(tools.map(({ matter }) => matter.as))];
  }
  /** Servers that have names of another server. */
  followersOf(former: string): readonly string[] {
    const follows = ({ matter }: Judgement): boolean => matter.former?.server === former;
    return this.servers.filter((server) => this.#pendings.seenOf(server).some(follows));
  }

  list(): readonly ShownMatter[] {
    return inOrder(this.#waiting().map(shownMatter));
  }
  /** Those of a name or of a server, as they are when it is called, with what has changed. */
  async changed(name: string, most = Infinity): Promise<readonly ChangedMatter[]> {
    const named = this.#waiting().filter(({ matter }) => matter.as === name || matter.server === name);
    const all = inOrder(named.map((one) => ({ ...shownMatter(one), of: one }))).slice(0, most);
    const work = { pairs: MAX_PAIRS };
    const changed: ChangedMatter[] = [];
    for (const { of, ...one } of all) {
      if (changed.length % AT_ONCE === AT_ONCE - 1) await new Promise(setImmediate);
      changed.push({ ...one, ...this.#changesOf(of, work) });
    }
    return changed;
  }
  counted(): ReadonlyMap<string, number> {
    const counts = new Map(this.servers.map((server) => [server, 0]));
    for (const { matter } of this.#waiting()) counts.set(matter.server, (counts.get(matter.server) ?? 0) + 1);
    return counts;
  }
  /** What is not known yet does not wait. */
  #waiting(): readonly Judgement[] {
    const all = this.servers.flatMap((server) => this.#pendings.of(server));
    return all.filter(({ matter }) => matter.doubt !== 'unread');
  }

  /** @throws GatewayError PIN_OUTDATED */
  find(name: string, hash?: string): Judgement {
    const named = this.#waiting().filter(({ matter }) => matter.as === name);
    if (named.length === 0)
      throw outdated(`nothing of the name ${name} waits to be accepted; see pegboard pins`);
    const found = hash === undefined ? named[0] : named.find(({ matter }) => matter.hash === hash);
    if (found !== undefined) return found;
    throw outdated(
      `${name} has another hash than the given one; look at it again with pegboard pins diff ${name}`,
    );
  }
  #changesOf({ matter }: Judgement, work: DiffWork): Pick<ChangedMatter, 'before' | 'changes'> {
    const accepted = this.#book.textOf(matter);
    return {
      before: accepted !== undefined,
      changes: partChanges(accepted, pinned(matter.kind, matter.declared), work),
    };
  }

  /** The same as text, invisible characters escaped: of one, or of all of a server; cut where no person would be asked any more.
   *  @throws GatewayError PIN_OUTDATED */
  shownChanges(name: string, hash: string): string {
    const all = this.#chosen(name, hash);
    const isOne = all.length === 1;
    const work = { pairs: MAX_PAIRS };
    let text = '';
    for (const one of all) {
      const { changes } = this.#changesOf(one, work);
      const parts = changes.map(({ part, words }) => `${part}: ${wordDiffText(words)}`);
      const lines = [...(isOne ? [] : [`${one.matter.kind} ${shownText(one.matter.as)}`]), ...parts];
      text += `${text && '\n'}${lines.join('\n')}`;
      if (text.length > MAX_ASKED) break;
    }
    return text;
  }

  /** What waits of each server, with a hash that binds an acceptance of all of it to what was shown. */
  sets(): readonly PinSet[] {
    const byServer = new Map<string, Judgement[]>();
    for (const one of this.#waiting()) {
      if (one.matter.doubt === 'refused') continue;
      const { server } = one.matter;
      const all = byServer.get(server);
      // In place: a server may change thousands of tools at once.
      if (all === undefined) byServer.set(server, [one]);
      else all.push(one);
    }
    return [...byServer].map(([server, all]) => ({ server, count: all.length, hash: setHash(all), all }));
  }

  /** @param name of one, with its hash, or of a server, with the hash of its set
   *  @throws GatewayError PIN_OUTDATED, or of the vault: then nothing has changed */
  async settle(name: string, hash: string, isAccepted: boolean): Promise<SettledPins> {
    const all = this.#chosen(name, hash).map(({ matter }) => matter);
    const [first] = all;
    const server = first?.server ?? name;
    await this.#book.settle(server, all, isAccepted);
    const done = isAccepted ? 'accepted' : 'refused';
    const what = all.length === 1 ? name : `all ${all.length} of ${server}`;
    this.#scope.emit({
      type: 'pin.settled',
      reason: isAccepted ? 'MCPServerDeclarationAccepted' : 'MCPServerDeclarationRefused',
      message: `an operator has ${done} what the server declares of ${what}`,
      severity: 'Normal',
      server,
      name,
      hash,
    });
    return { server, count: all.length };
  }
  /** @throws GatewayError PIN_OUTDATED */
  #chosen(name: string, hash: string): readonly Judgement[] {
    const set = this.sets().find((one) => one.server === name && one.hash === hash);
    return set?.all ?? [this.find(name, hash)];
  }

  /** Many change at once: one line and one event for all. */
  #report({ server, as, kind }: Matter): void {
    this.counts.add({ server, kind });
    const news = this.#news.get(server);
    if (news !== undefined) {
      news.push(as);
      return;
    }
    const names = [as];
    this.#news.set(server, names);
    setImmediate(() => {
      this.#news.delete(server);
      const named = names.slice(0, MAX_NAMED);
      const text = 'a server declares something otherwise than accepted; see pegboard pins';
      this.#scope.log.warn(text, { server, count: names.length, names: named });
      const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
      const message = `declared otherwise than accepted: ${named.join(', ')}${more}; pegboard pins shows what has changed`;
      const reason = 'MCPServerDeclarationChanged';
      this.#scope.emit({ type: 'pin.changed', reason, message, severity: 'Warning', server, names: named });
    });
  }
}

function shownMatter(judgement: Judgement): ShownMatter {
  const { matter, held } = judgement;
  const { as: name, kind, server, doubt: state, hash, trust, accepted } = matter;
  return { name, kind, server, state, held, why: doingIn(judgement), widens: widened(trust, accepted), hash };
}
function inOrder<T extends ShownMatter>(all: readonly T[]): readonly T[] {
  const order = ({ kind, name, hash }: ShownMatter): string => JSON.stringify([name, kind, hash]);
  return [...all].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}
function setHash(all: readonly Judgement[]): string {
  const facts = all.map(({ matter: { kind, own, as, hash, doubt } }) =>
    JSON.stringify([kind, own, as, hash, doubt]),
  );
  return createHash('sha256').update(facts.sort().join('\n')).digest('hex');
}
function modeIn(mode: PinsConfig['mode'] | undefined, kind: PinKind): Mode | undefined {
  return typeof mode === 'string' ? (mode as Mode) : mode?.[kind];
}
function outdated(message: string): GatewayError {
  return new GatewayError('PIN_OUTDATED', message);
}
