import { GatewayError } from 'pegboard';
import type { JsonObject, Resource, Scope, Tool } from 'pegboard';
import { Tally } from '../kit/metrics/tally.ts';
import { wordDiffText } from '../kit/text/wordDiff.ts';
import type { PinsConfig } from './config.ts';
import { pinned, widened } from './fingerprint.ts';
import type { PinKind } from './fingerprint.ts';
import { doingIn } from './judgedTool.ts';
import type { Held, Judgement } from './judgedTool.ts';
import type { Matter, PinBook, Sight } from './pinBook.ts';
import { pinKey } from './pinRecord.ts';
import { partChanges } from './partChanges.ts';
import type { PartChange } from './partChanges.ts';

const MAX_NAMED = 10;
type Mode = PinsConfig['mode'];

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

/** What waits for an operator, and what is done about it meanwhile. */
export class Matters {
  readonly counts = new Tally();
  readonly #scope: Scope<PinsConfig>;
  readonly #book: PinBook;
  readonly #config: () => PinsConfig;
  readonly #byServer = new Map<string, Map<string, Judgement>>();
  #modes: ReadonlyMap<string, Mode> = new Map();
  /** Names that are to be reported, by server. */
  readonly #news = new Map<string, string[]>();

  constructor(scope: Scope<PinsConfig>, book: PinBook, config: () => PinsConfig) {
    this.#scope = scope;
    this.#book = book;
    this.#config = config;
  }

  /** Takes what definitions say. */
  define(servers: readonly Resource[]): void {
    this.#modes = new Map(
      servers.flatMap(({ name, spec: { pin } }) => (typeof pin === 'string' ? [[name, pin as Mode]] : [])),
    );
  }

  /** @returns undefined for what is as it was accepted. @param isMerged a tool of a family shows what all its servers declare now */
  judge(sight: Sight, isMerged: boolean): Judgement | undefined {
    const { server, kind, own } = sight;
    const mode = this.#modes.get(server) ?? this.#config().mode;
    const matter = mode === 'ignore' ? undefined : this.#book.judge(sight, this.#config().pinFirst === 'ask');
    const key = pinKey(kind, own);
    const known = this.#byServer.get(server) ?? new Map<string, Judgement>();
    if (matter === undefined) {
      known.delete(key);
      return undefined;
    }
    const judgement = this.#judgementOn(matter, mode, isMerged);
    const isNew = known.get(key)?.matter.hash !== matter.hash;
    this.#byServer.set(server, known.set(key, judgement));
    if (isNew && matter.doubt !== 'unread') this.#report(matter);
    return judgement;
  }
  judgeTool(tool: Tool): Judgement | undefined {
    const { server, declared, name, group } = tool;
    if (server === undefined || declared === undefined) return undefined;
    const sight: Sight = { server, kind: 'tools', own: String(declared['name']), as: name, declared };
    return this.judge(sight, group !== undefined);
  }
  #judgementOn(matter: Matter, mode: Mode, isMerged: boolean): Judgement {
    const { doubt } = matter;
    if (doubt === 'refused' || doubt === 'new') return { matter, held: 'blocked' };
    if (mode === 'warn' || doubt === 'unread' || doubt === 'beyond') return { matter, held: 'warned' };
    const canHold = mode === 'hold' && doubt === 'changed' && !isMerged;
    const accepted = canHold ? this.#book.textOf(matter) : undefined;
    return accepted === undefined ? { matter, held: 'blocked' } : { matter, held: 'held', accepted };
  }

  /** The server no longer offers that. */
  gone(server: string, names: readonly string[]): void {
    const left = new Set(names);
    const known = this.#byServer.get(server);
    for (const [key, { matter }] of known ?? []) if (left.has(matter.as)) known?.delete(key);
  }
  forget(server: string): void {
    this.#byServer.delete(server);
  }
  get servers(): readonly string[] {
    return [...this.#byServer].flatMap(([server, { size }]) => (size > 0 ? [server] : []));
  }

  /** Names of the tools of a server that are not as accepted. */
  toolsOf(server: string): readonly string[] {
    return [...(this.#byServer.get(server)?.values() ?? [])].map(({ matter }) => matter.as);
  }

  list(): readonly ShownMatter[] {
    const all = [...this.#byServer.values()].flatMap((known) => [...known.values()].map(shownMatter));
    return all.filter(({ state }) => state !== 'unread').sort((a, b) => (a.name < b.name ? -1 : 1));
  }
  counted(): ReadonlyMap<string, number> {
    return new Map([...this.#byServer].map(([server, { size }]) => [server, size]));
  }

  /** @throws GatewayError PIN_OUTDATED */
  find(name: string, hash?: string): Judgement {
    const named = [...this.#byServer.values()].flatMap((known) =>
      [...known.values()].filter(({ matter }) => matter.as === name && matter.doubt !== 'unread'),
    );
    if (named.length === 0)
      throw outdated(`nothing of the name ${name} waits to be accepted; see pegboard pins`);
    const found = hash === undefined ? named[0] : named.find(({ matter }) => matter.hash === hash);
    if (found !== undefined) return found;
    throw outdated(
      `${name} has another hash than the given one; look at it again with pegboard pins diff ${name}`,
    );
  }
  /** What has changed, word by word. @param before whether the accepted version is known */
  changesOf({ matter }: Judgement): { readonly before: boolean; readonly changes: readonly PartChange[] } {
    const accepted = this.#book.textOf(matter);
    return {
      before: accepted !== undefined,
      changes: partChanges(accepted, pinned(matter.kind, matter.declared)),
    };
  }

  /** The same as text, invisible characters escaped. @throws GatewayError PIN_OUTDATED */
  shownChanges(name: string, hash: string): string {
    const { changes } = this.changesOf(this.find(name, hash));
    return changes.map(({ part, words }) => `${part}: ${wordDiffText(words)}`).join('\n');
  }

  /** @throws GatewayError PIN_OUTDATED, or of the vault */
  async settle(name: string, hash: string, isAccepted: boolean): Promise<Matter> {
    const { matter } = this.find(name, hash);
    await this.#book.settle(matter, isAccepted);
    const { server, kind, own } = matter;
    const known = this.#byServer.get(server);
    // Of a tool that only some callers have, no look tells.
    if (isAccepted && known?.get(pinKey(kind, own))?.matter.hash === hash) known.delete(pinKey(kind, own));
    const done = isAccepted ? 'accepted' : 'refused';
    this.#scope.emit({
      type: 'pin.settled',
      reason: isAccepted ? 'MCPServerDeclarationAccepted' : 'MCPServerDeclarationRefused',
      message: `an operator has ${done} what the server declares of ${name}`,
      severity: 'Normal',
      server,
      name,
      hash,
    });
    return matter;
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
function outdated(message: string): GatewayError {
  return new GatewayError('PIN_OUTDATED', message);
}
