import { resolve } from 'node:path';
import { ConfigControl, isObject } from 'pegboard';
import type { Scope } from 'pegboard';
import { Vault } from '../contracts/vault.ts';
import type { AuditConfig } from './config.ts';
import { sha256 } from './digest.ts';
import { loadSigningKeys } from './signingKeys.ts';
import type { Head, TrailEvent } from './line.ts';
import { Trail } from './trail.ts';
import { verifyTrail } from './verifyTrail.ts';
import type { Verification } from './verifyTrail.ts';

/** The current trail, and the note of its end in the vault. */
export class Keeper {
  readonly #scope: Scope<AuditConfig>;
  /** Additional members of each `started` or `reopened` line. */
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
    // When both stop, the vault is no longer registered, but it stops after this plugin.
    scope.each(Vault, (vault) => {
      this.#vault = vault;
      return undefined;
    });
  }

  /** @throws GatewayError CONFIG_UNREADABLE for a key; errors of disk and vault, unless `onFailure` is `continue` */
  async start(): Promise<void> {
    await this.#begin(undefined);
  }

  /** Applies new settings; with another directory or key the trail is reopened, and no line is lost. @throws as start() */
  async adopt(next: AuditConfig): Promise<void> {
    const former = this.#config;
    this.#config = next;
    if (placeOf(former) !== placeOf(next)) await this.#begin(this.#trail);
  }

  /** As Trail.append; waits for start(). */
  async append(event: TrailEvent, isUrgent: boolean): Promise<void> {
    const trail = this.#trail ?? (await this.#started);
    await trail.append(event, isUrgent);
  }

  /** Verifies everything that is on disk now. */
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
    // Lines that are appended meanwhile wait for the start.
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

  /** @param trail may be a former one by now: the current one waits for its end */
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
