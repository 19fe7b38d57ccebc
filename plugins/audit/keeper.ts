import { resolve } from 'node:path';
import { ConfigControl, isObject } from 'pegboard';
import { Vault } from '../vault-file/contract.ts';
import type { Scope } from 'pegboard';
import type { AuditConfig } from './config.ts';
import { sha256 } from './digest.ts';
import { loadSigningKeys } from './signingKeys.ts';
import type { Head, TrailEvent } from './line.ts';
import { Trail } from './trail.ts';
import { verifyTrail } from './verifyTrail.ts';
import type { Verification } from './verifyTrail.ts';

/** The trail in use, and the vault's note of where it ends. */
export class Keeper {
  readonly #scope: Scope<AuditConfig>;
  /** What is said besides with every start. */
  readonly #opening: () => Readonly<Record<string, unknown>>;
  readonly #started: Promise<Trail>;
  #markStarted: (trail: Trail) => void = () => undefined;
  #config: AuditConfig;
  #trail: Trail | undefined;
  #vault: Vault | undefined;
  #timer: NodeJS.Timeout | undefined;
  #noting: Promise<void> = Promise.resolve();

  constructor(scope: Scope<AuditConfig>, opening: () => Readonly<Record<string, unknown>>) {
    this.#scope = scope;
    this.#opening = opening;
    this.#config = scope.config;
    this.#started = new Promise((resolve) => (this.#markStarted = resolve));
    // At a stop of both the vault has left the registry, but stops after this plugin.
    scope.each(Vault, (vault) => {
      this.#vault = vault;
      return undefined;
    });
  }

  /** @throws GatewayError CONFIG_UNREADABLE for a key, and what the disk and the vault throw unless it goes on without */
  async start(): Promise<void> {
    await this.#begin(undefined);
  }

  /** Other settings; another directory or key begins anew, without a line lost. @throws as start() */
  async adopt(next: AuditConfig): Promise<void> {
    const former = this.#config;
    this.#config = next;
    if (placeOf(former) !== placeOf(next)) await this.#begin(this.#trail);
  }

  /** Resolves once the line is in the file; before the start it waits for it. @throws GatewayError STORE_UNREACHABLE */
  async append(event: TrailEvent): Promise<void> {
    const trail = this.#trail ?? (await this.#started);
    await trail.append(event);
  }

  /** Everything that is written by now, against what was written. */
  async verify(): Promise<Verification> {
    const trail = this.#trail ?? (await this.#started);
    const held = (await trail.settle()) ?? (await this.#noted(trail.directory));
    const { checkpointLines } = this.#config;
    const { verification } = await verifyTrail(trail.directory, { keys: trail.keys, checkpointLines, held });
    return verification;
  }

  async stop(): Promise<void> {
    const trail = this.#trail;
    if (trail !== undefined) await this.#end(trail);
  }

  async #begin(former: Trail | undefined): Promise<void> {
    const base = this.#scope.get(ConfigControl).directory;
    const directory = resolve(base, this.#config.directory);
    const trail: Trail = new Trail({
      directory,
      keys: await loadSigningKeys(this.#config, base),
      limits: () => this.#config,
      log: this.#scope.log,
      opening: this.#opening,
      grown: () => this.#noteSoon(trail),
    });
    // Lines that come meanwhile wait behind the start.
    this.#trail = trail;
    const starting = trail.start(async () => {
      await this.#endFormer(former);
      return this.#noted(directory);
    });
    this.#markStarted(trail);
    try {
      await starting;
    } catch (error) {
      if (this.#config.onFailure === 'refuse') throw error;
      this.#scope.log.error('the audit trail cannot be opened; calls run without it', { directory, error });
    }
  }

  async #end(trail: Trail): Promise<void> {
    const head = await trail.stop();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#noting;
    if (head !== undefined) await this.#note(trail.directory, head);
  }

  async #endFormer(trail: Trail | undefined): Promise<void> {
    try {
      if (trail !== undefined) await this.#end(trail);
    } catch (error) {
      this.#scope.log.error('the former audit trail could not be ended', { error });
    }
  }

  #noteSoon(trail: Trail): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#noting = this.#noteNow(trail);
    }, this.#config.headMs);
  }

  /** @param trail which may be a former one by now: the one in use waits for its end */
  async #noteNow(trail: Trail): Promise<void> {
    try {
      const head = await trail.settle();
      if (head !== undefined) await this.#note(trail.directory, head);
    } catch (error) {
      this.#scope.log.warn('the end of the audit trail could not be noted in the vault', { error });
    }
  }

  async #note(directory: string, head: Head): Promise<void> {
    await this.#vault?.set(noteKey(directory), head);
  }

  async #noted(directory: string): Promise<Head | undefined> {
    const note = await this.#vault?.get(noteKey(directory));
    if (!isObject(note)) return undefined;
    const { seq, hash } = note;
    return typeof seq === 'number' && typeof hash === 'string' ? { seq, hash } : undefined;
  }
}

function placeOf({ directory, signingKeyFile, trustedKeyFiles }: AuditConfig): string {
  return JSON.stringify([directory, signingKeyFile, trustedKeyFiles]);
}

function noteKey(directory: string): string {
  return `audit-end:${sha256(directory)}`;
}
