import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { GatewayError } from 'pegboard';
import type { Log } from 'pegboard';
import { newKeyRing } from '../kit/secrets/keyRing.ts';
import { JsonVault } from '../kit/vault/jsonVault.ts';
import type { VaultWrite } from '../kit/vault/jsonVault.ts';
import { vaultKeys } from '../kit/vault/vaultKeys.ts';
import { warnOfOpenKeys } from '../kit/files/warnOfOpenKeys.ts';
import type { VaultFileConfig } from './config.ts';
import { isLock, tryLock } from './lock.ts';
import type { LockHolder, Lock } from './lock.ts';
import type { SealedLog } from './sealedLog.ts';
import { openLog } from './openLog.ts';
import { diskPlace } from './diskPlace.ts';
import { ramPlace } from './ramPlace.ts';
import { FileVault } from './fileVault.ts';

interface Opened {
  readonly vault: FileVault;
  readonly sealed: SealedLog;
  readonly lock: Lock | undefined;
}

/** The vault that plugins use: calls wait until the file is open, once the former process has released it. */
export class OpeningVault extends JsonVault {
  readonly #stateDirectory: () => string | undefined;
  readonly #config: () => VaultFileConfig;
  readonly #log: Log;
  readonly #stop = new AbortController();
  #opened: Opened | undefined;
  #failure: GatewayError | undefined;
  #holder: LockHolder | undefined;
  #waitingSince: number | undefined;
  #background: Promise<void> = Promise.resolve();
  #timers: readonly NodeJS.Timeout[] = [];
  /** Calls that wait for the file. */
  readonly #wakers = new Set<() => void>();

  constructor(stateDirectory: () => string | undefined, config: () => VaultFileConfig, log: Log) {
    super();
    this.#stateDirectory = stateDirectory;
    this.#config = config;
    this.#log = log;
  }

  get isLasting(): boolean {
    return this.#stateDirectory() !== undefined;
  }
  /** Number of entries, expired ones included until they are removed; undefined while it is not open. */
  get size(): number | undefined {
    return this.#opened?.sealed.entries.size;
  }

  get(key: string): Promise<unknown> {
    return this.#with((vault) => vault.get(key));
  }
  take(key: string): Promise<unknown> {
    return this.#with((vault) => vault.take(key));
  }
  delete(key: string): Promise<boolean> {
    return this.#with((vault) => vault.delete(key));
  }
  list(prefix: string): Promise<readonly string[]> {
    return this.#with((vault) => vault.list(prefix));
  }

  /** Opens the file, or keeps trying in the background while another process holds it.
   *  @throws GatewayError CONFIG_UNREADABLE, STORE_UNREACHABLE if it cannot be opened at all */
  async begin(): Promise<void> {
    this.#waitingSince = performance.now();
    if (await this.#attempt()) return;
    this.#log.warn('another process holds the vault; calls wait for it to end', {
      pid: this.#holder?.pid,
      lock: this.#holder?.file,
    });
    this.#background = this.#keepTrying();
  }

  /** Applies new intervals. */
  reschedule(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers = [];
    if (this.#opened === undefined) return;
    const { sweepMs, lockStaleMs } = this.#config();
    this.#timers = [
      setInterval(() => this.#opened?.vault.sweep(), sweepMs),
      setInterval(() => void this.#beat(), lockStaleMs / 3),
    ];
  }

  /** Resolves once accepted writes are on disk; later calls are refused. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#failure ??= new GatewayError('STORE_UNREACHABLE', 'the vault is closed; try again');
    await this.#background;
    await this.#leave();
    this.#wake();
  }

  protected write(write: VaultWrite): Promise<boolean> {
    return this.#with((vault) => vault.write(write));
  }

  #with<T>(use: (vault: FileVault) => Promise<T>): Promise<T> {
    // Synchronous if possible, so that calls for one key keep their order.
    return this.#opened === undefined ? this.#ready().then(use) : use(this.#opened.vault);
  }

  async #ready(): Promise<FileVault> {
    const waited = this.#waitingSince === undefined ? 0 : performance.now() - this.#waitingSince;
    if (this.#outcome() === undefined) await this.#change(this.#config().lockWaitMs - waited);
    const outcome = this.#outcome() ?? this.#isHeld();
    if (outcome instanceof FileVault) return outcome;
    throw outcome;
  }

  #outcome(): FileVault | GatewayError | undefined {
    return this.#opened?.vault ?? this.#failure;
  }

  /** Resolves once the file is open or cannot be opened, or after `ms`. */
  #change(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#wakers.delete(done);
        resolve();
      };
      const timer = setTimeout(done, Math.max(ms, 0));
      this.#wakers.add(done);
    });
  }

  #isHeld(): GatewayError {
    if (this.#holder === undefined) {
      return new GatewayError('STORE_UNREACHABLE', 'the vault is not open yet; try again');
    }
    const { file, pid } = this.#holder;
    const fix = 'stop it, or give this one a state directory of its own with --state-path';
    return new GatewayError('STORE_UNREACHABLE', `process ${pid} holds the vault (${file}); ${fix}`);
  }

  #wake(): void {
    for (const done of [...this.#wakers]) done();
  }

  /** @returns false if another process holds it */
  async #attempt(): Promise<boolean> {
    const state = this.#stateDirectory();
    if (state === undefined) {
      this.#log.warn('no writable state directory: the content of the vault will not survive a restart', {
        fix: 'name a writable one with --state-path or PEGBOARD_STATE_PATH',
      });
      this.#enter(await openLog({ ...this.#logParts(), place: ramPlace(), ring: newKeyRing() }), undefined);
      return true;
    }
    const folder = join(state, 'vault');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const lock = await tryLock(folder, this.#config().lockStaleMs);
    if (!isLock(lock)) {
      this.#holder = lock;
      return false;
    }
    try {
      const [ring, place] = [vaultKeys(state), await diskPlace(folder)];
      warnOfOpenKeys(state, 'vault', this.#log);
      this.#enter(await openLog({ ...this.#logParts(), place, ring }), lock);
      return true;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  #logParts(): { readonly log: Log; readonly limits: () => VaultFileConfig } {
    return { log: this.#log, limits: this.#config };
  }

  #enter(sealed: SealedLog, lock: Lock | undefined): void {
    this.#opened = { vault: new FileVault(sealed, this.#config), sealed, lock };
    this.reschedule();
    this.#wake();
  }

  async #leave(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    this.reschedule();
    try {
      await opened?.sealed.close();
    } finally {
      await opened?.lock?.release();
    }
  }

  async #keepTrying(): Promise<void> {
    const { signal } = this.#stop;
    try {
      while (!signal.aborted) {
        await pause(this.#config().lockPollMs * (0.5 + Math.random()), undefined, { signal });
        if (!(await this.#attempt())) continue;
        this.#log.info('the vault is open');
        break;
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#log.error('the vault cannot be opened', { error });
      const text = 'the vault cannot be opened; the reason is in the log';
      this.#failure = new GatewayError('STORE_UNREACHABLE', text, { cause: error });
      this.#wake();
    }
  }

  /** If a process that could not see this one alive has taken the lock, further writes would corrupt the file. */
  async #beat(): Promise<void> {
    const opened = this.#opened;
    if ((await opened?.lock?.beat()) !== false || this.#opened !== opened) return;
    this.#log.error('another process removed the lock of the vault; waiting for it', {
      file: opened?.lock?.file,
    });
    this.#waitingSince = performance.now();
    opened?.sealed.abandon();
    this.#background = this.#leave().then(
      () => this.#keepTrying(),
      () => this.#keepTrying(),
    );
  }
}
