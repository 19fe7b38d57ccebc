import { randomUUID } from 'node:crypto';
import { GatewayError, canonicalJson, messageOf } from 'pegboard';
import type { Call, CallResult, JsonObject, Next, Scope, Tool } from 'pegboard';
import { ownerOf, sharerOf } from '../kit/authority/ownerOf.ts';
import { Tally } from '../kit/metrics/tally.ts';
import { Vault } from '../contracts/vault.ts';
import { Channel, Peers } from '../contracts/processes.ts';
import { digest } from '../kit/secrets/secrets.ts';
import type { IdempotencyConfig } from './config.ts';
import { KeyShares } from './keyShares.ts';
import { keptOutcomeOf, outcomeOfError, retold } from './keptOutcome.ts';
import type { KeyRecord, KeptOutcome } from './keptOutcome.ts';
import { callUnderWay, callCutOff, notRecorded, reused } from './refusals.ts';

/** Records of keys are stored under `idempotency:<43 base64url characters>`. */
const PREFIX = 'idempotency:';

/** Another process asks for the outcome of a key's call. */
const TOPIC = 'idempotency.outcome';

/** A running call of this process. */
interface Begun {
  readonly vault: Vault;
  readonly id: string;
  /** Its record until it ends. */
  readonly entry: KeyRecord;
}

/** Calls with a key, recorded in the vault: the begin before the tool runs, the outcome before the caller receives it. */
export class VaultedCalls {
  /** Calls with a key. */
  readonly counts = new Tally();
  readonly #scope: Scope<IdempotencyConfig>;
  readonly #running = new Set<string>();
  readonly #shares: KeyShares;
  /** Writes that have failed, by id of the key. New keys are refused then, so there are not many. */
  readonly #late = new Map<string, () => Promise<unknown>>();

  constructor(scope: Scope<IdempotencyConfig>, now: () => number = Date.now) {
    this.#scope = scope;
    this.#shares = new KeyShares({
      ids: () => this.#vault().list(PREFIX),
      isRunning: (id) => this.#running.has(id),
      maxKeys: () => scope.config.maxKeys,
      now,
    });
  }

  /** The limit has changed. */
  recount(): void {
    this.#shares.recount();
  }

  /** Stores outcomes that could not be stored, if another process asks or the connection is back.
   *  @returns the function that unsubscribes */
  answerOthers(channel: Channel): () => void {
    const store = (): void => void this.#storeLate();
    return channel.subscribe(TOPIC, { message: store, gap: store });
  }

  /** Runs a call once, even if it is sent several times with the same key.
   *  @param key 1 to 255 printable ASCII characters, unique for each caller and tool
   *  @returns the tool's result, or the stored result of the first call with this key
   *  @throws GatewayError TOOL_KEY_BUSY, TOOL_KEY_REUSED, TOOL_OUTCOME_UNKNOWN, TOOL_RESULT_GONE, STORE_UNREACHABLE, STORE_FORBIDDEN;
   *  the errors of the tool, also stored ones */
  async run(key: string, call: Call, run: Next): Promise<CallResult> {
    const id = idOf(key, call);
    if (this.#running.has(id)) throw this.#busy(call);
    this.#running.add(id);
    try {
      const peers = this.#scope.find(Peers);
      const digest = argumentsDigest(call.args);
      const entry = { digest, begin: randomUUID(), ...(peers && { process: peers.own }) };
      const begun = { vault: this.#vault(), id, entry };
      const known = await this.#begin(begun, call);
      return known === undefined
        ? await this.#make(begun, call.tool, run)
        : await this.#again(known, begun, call);
    } finally {
      this.#running.delete(id);
    }
  }

  /** @returns the record of the key; undefined if the key was new and is now recorded */
  async #begin(begun: Begun, call: Call): Promise<KeyRecord | undefined> {
    const { vault, id, entry } = begun;
    let isNew = false;
    await this.#storeLate([id]);
    try {
      const known = (await vault.get(id)) as KeyRecord | undefined;
      if (known !== undefined) return known;
      await this.#shares.take(id, sharerOf(call.request));
      try {
        isNew = await vault.putIfAbsent(id, entry, this.#scope.config.keepSeconds);
      } catch (error) {
        // It may be stored nevertheless, and would count as a call that was cut off.
        this.#late.set(id, () => release(begun));
        throw error;
      } finally {
        if (!isNew) this.#shares.give(id);
      }
    } catch (error) {
      throw notRecorded(call, error);
    }
    if (isNew) {
      this.counts.add({ outcome: 'new' });
      this.#late.delete(id);
      void this.#storeLate();
      return undefined;
    }
    // Another process that shares the vault was faster.
    throw this.#busy(call);
  }

  async #make(begun: Begun, tool: Tool, run: Next): Promise<CallResult> {
    let result: CallResult;
    try {
      result = await run();
    } catch (error) {
      await this.#end(begun, outcomeOfError(error, tool));
      throw error;
    }
    await this.#end(begun, keptOutcomeOf(result, this.#scope.config.maxResultBytes));
    return result;
  }

  /** Records the outcome. A failure of the vault does not fail the call: its outcome is then stored later, or counts as unknown.
   *  @param outcome undefined if the tool has not run */
  async #end(begun: Begun, outcome: KeptOutcome | undefined): Promise<void> {
    const { vault, id, entry } = begun;
    const { digest } = entry;
    const free = async (): Promise<void> => {
      if (await release(begun)) this.#shares.give(id);
    };
    const write =
      outcome === undefined
        ? free
        : () => vault.set(id, { digest, outcome } satisfies KeyRecord, this.#scope.config.keepSeconds);
    try {
      await write();
    } catch (error) {
      this.#late.set(id, write);
      this.#warn(error);
    }
  }

  /** Stores the late outcomes until one fails again. */
  async #storeLate(ids: readonly string[] = [...this.#late.keys()]): Promise<void> {
    for (const id of ids) {
      const write = this.#late.get(id);
      try {
        await write?.();
      } catch (error) {
        this.#warn(error);
        return;
      }
      if (this.#late.get(id) === write) this.#late.delete(id);
    }
  }

  #warn(error: unknown): void {
    this.#scope.log.warn('outcome of a keyed call could not be stored', { error: messageOf(error) });
  }

  /** @throws GatewayError if the outcome cannot be repeated; the stored error of the first call */
  async #again({ digest, outcome, process }: KeyRecord, begun: Begun, call: Call): Promise<CallResult> {
    if (digest !== begun.entry.digest) {
      this.counts.add({ outcome: 'reused' });
      throw reused(call);
    }
    if (outcome !== undefined) {
      this.counts.add({ outcome: 'replayed' });
      return retold(outcome, call);
    }
    if (!(await this.#runsElsewhere(process))) {
      this.counts.add({ outcome: 'unknown' });
      throw callCutOff(call);
    }
    // Its process has it if it could not be stored.
    for (const channel of this.#scope.all(Channel)) channel.publish(TOPIC, { id: begun.id });
    throw this.#busy(call);
  }

  #busy(call: Call): GatewayError {
    this.counts.add({ outcome: 'busy' });
    return callUnderWay(call, this.#scope.config.busyRetrySeconds);
  }

  async #runsElsewhere(process: string | undefined): Promise<boolean> {
    const peers = this.#scope.find(Peers);
    if (peers === undefined || process === undefined || process === peers.own) return false;
    return peers.isAlive(process);
  }

  #vault(): Vault {
    const vault = this.#scope.find(Vault);
    if (vault !== undefined) return vault;
    const fix = 'enable a plugin that provides Vault, or call without a key';
    throw new GatewayError('STORE_UNREACHABLE', `there is no vault that stores idempotency keys; ${fix}`);
  }
}

/** Removes its record, if that is still the one with which it began. */
function release({ vault, id, entry }: Begun): Promise<boolean> {
  return vault.compareAndSwap(id, entry, entry, 0);
}

/** The id of a key's record, unique for caller, tool and key. */
function idOf(key: string, { tool, request }: Call): string {
  return PREFIX + digest(JSON.stringify([ownerOf(request), tool.name, key]));
}

/** Equal for equal arguments, in any order of keys. */
function argumentsDigest(args: JsonObject): string {
  return digest(canonicalJson(args));
}
