import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isObject, messageOf } from 'pegboard';
import { inTurn } from 'pegboard/kit';
import type { Log } from 'pegboard';
import { sealBytes, unsealBytes } from '../../kit/secrets/seal.ts';
import type { KeyRing } from '../../contracts/vault.ts';
import type { ServerDefinition } from '../definition.ts';
import type { ResumableSession } from '../client/revision/resume.ts';
import { endpointKey } from './endpointKey.ts';
import { renameOver } from '../../kit/files/renameOver.ts';

interface Kept extends ResumableSession {
  /** `endpointKey` of the definition whose server began the session. */
  readonly endpoint: string;
}

const CONTEXT = Buffer.from('session of a server');

/** The session of a server that serves one per start, for its next connection, also of another process. Its id is a credential, so the
 *  file is sealed. Its methods never reject: they write warnings. */
export class KeptSession {
  readonly #file: string | undefined;
  readonly #keys: () => KeyRing;
  readonly #log: Log;
  readonly #take = inTurn();
  #kept: Kept | undefined;
  #isRead = false;

  /** @param file undefined keeps it in memory only */
  constructor(file: string | undefined, keys: () => KeyRing, log: Log) {
    this.#file = file;
    this.#keys = keys;
    this.#log = log;
  }

  /** @returns undefined if none is kept, or that of another server */
  async read(definition: ServerDefinition): Promise<ResumableSession | undefined> {
    const file = this.#file;
    if (!this.#isRead && file !== undefined)
      await this.#do(async () => {
        const sealed = await readFile(file).catch(absent);
        if (!this.#isRead && sealed !== undefined) this.#kept = this.#opened(sealed);
      });
    this.#isRead = true;
    return this.#kept?.endpoint === endpointKey(definition) ? this.#kept : undefined;
  }

  keep(definition: ServerDefinition, session: ResumableSession): void {
    const kept = { endpoint: endpointKey(definition), ...session };
    this.#set(kept);
    const file = this.#file;
    if (file === undefined) return;
    void this.#do(async () => {
      const sealed = sealBytes(this.#keys()[0], CONTEXT, Buffer.from(JSON.stringify(kept)));
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(`${file}.new`, sealed, { mode: 0o600 });
      await renameOver(`${file}.new`, file);
    });
  }

  forget(): void {
    if (this.#isRead && this.#kept === undefined) return;
    this.#set(undefined);
    const file = this.#file;
    if (file !== undefined) void this.#do(() => rm(file, { force: true }));
  }

  /** Resolves when everything is on disk. */
  settled(): Promise<void> {
    return this.#take(() => Promise.resolve());
  }

  #set(kept: Kept | undefined): void {
    this.#kept = kept;
    this.#isRead = true;
  }

  /** Undefined for what is damaged, or sealed with a key that is gone: another session is begun. */
  #opened(sealed: Buffer): Kept | undefined {
    const [plain] = this.#keys().flatMap((key) => unsealBytes(key, CONTEXT, sealed) ?? []);
    const kept: unknown = plain && JSON.parse(plain.toString());
    return isObject(kept) ? (kept as unknown as Kept) : undefined;
  }

  #do(work: () => Promise<void>): Promise<void> {
    return this.#take(work).catch((error: unknown) => {
      this.#log.warn('the session of a server could not be stored or read', { error: messageOf(error) });
    });
  }
}

/** @throws the error, unless the file does not exist */
function absent(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
