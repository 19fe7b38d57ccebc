import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { unwatchFile, watchFile } from 'node:fs';
import { pid } from 'node:process';
import initSqlJs from 'sql.js';
import { GatewayError, isGatewayError, messageOf } from 'pegboard';

const SCHEMA = `CREATE TABLE IF NOT EXISTS definitions (
  kind TEXT NOT NULL, name TEXT NOT NULL, labels TEXT, spec TEXT NOT NULL, PRIMARY KEY (kind, name))`;

/** A SQLite file in WebAssembly: read as a whole, changed in memory, written under a new name and renamed. Statements run
 *  one after another; a file that another process has replaced is read again first. */
export class DatabaseFile {
  #path;
  #writeAttempts;
  #database;
  #stamp;
  #last = Promise.resolve();
  #onChange;

  constructor(path, writeAttempts) {
    this.#path = path;
    this.#writeAttempts = writeAttempts;
  }

  get path() {
    return this.#path;
  }

  /** @returns the rows as objects @throws GatewayError STORE_UNREACHABLE */
  all(sql, parameters = []) {
    return this.#inTurn(async () => {
      await this.#refresh();
      const statement = this.#database.prepare(sql, parameters);
      try {
        const rows = [];
        while (statement.step()) rows.push(statement.getAsObject());
        return rows;
      } finally {
        statement.free();
      }
    });
  }

  /** @returns the number of changed rows, after they are on disk
   *  @throws GatewayError STORE_UNREACHABLE, STORE_FORBIDDEN, STORE_CONFLICT */
  run(sql, parameters) {
    return this.#inTurn(async () => {
      for (let attempt = 0; attempt < this.#writeAttempts; attempt += 1) {
        await this.#refresh();
        this.#database.run(sql, parameters);
        const changed = this.#database.getRowsModified();
        if (changed === 0 || (await this.#save())) return changed;
      }
      throw new GatewayError('STORE_CONFLICT', `${this.#path} keeps changing; try again`);
    });
  }

  /** Calls `ring` after another process has changed the file. */
  watch(pollMs, ring) {
    this.#onChange = (facts) => {
      if (stampOf(facts) !== this.#stamp) ring();
    };
    watchFile(this.#path, { interval: pollMs, persistent: false }, this.#onChange);
  }

  async close() {
    if (this.#onChange !== undefined) unwatchFile(this.#path, this.#onChange);
    await this.#last;
    this.#forget();
  }

  async #refresh() {
    const stamp = await this.#stampNow();
    if (this.#database !== undefined && stamp === this.#stamp) return;
    this.#forget();
    const { Database } = await initSqlJs();
    const database = new Database(stamp === undefined ? undefined : await readFile(this.#path));
    try {
      database.run(SCHEMA);
    } catch (error) {
      database.close();
      throw error;
    }
    this.#database = database;
    this.#stamp = stamp;
  }

  /** @returns false if another process has written in the meantime; changes in memory are then discarded */
  async #save() {
    const draft = `${this.#path}.${pid}.new`;
    try {
      const file = await open(draft, 'w', 0o600);
      try {
        await file.writeFile(this.#database.export());
        await file.sync();
      } finally {
        await file.close();
      }
      if ((await this.#stampNow()) !== this.#stamp) {
        this.#forget();
        return false;
      }
      await rename(draft, this.#path);
      this.#stamp = await this.#stampNow();
      return true;
    } catch (error) {
      this.#forget();
      throw error;
    } finally {
      await rm(draft, { force: true });
    }
  }

  #forget() {
    this.#database?.close();
    this.#database = undefined;
  }

  async #stampNow() {
    try {
      return stampOf(await stat(this.#path));
    } catch (error) {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    }
  }

  #inTurn(work) {
    const turn = this.#last.then(work).catch((error) => {
      throw this.#failure(error);
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  #failure(error) {
    if (isGatewayError(error)) return error;
    const isRefused = ['EACCES', 'EPERM', 'EROFS'].includes(error.code);
    const code = isRefused ? 'STORE_FORBIDDEN' : 'STORE_UNREACHABLE';
    const text = `the database ${this.#path} cannot be used (${messageOf(error)}); repair or replace the file`;
    return new GatewayError(code, text, { cause: error });
  }
}

/** Undefined for a missing file, for which watchFile reports ino 0. */
function stampOf({ mtimeMs, size, ino }) {
  return ino === 0 ? undefined : `${mtimeMs}:${size}:${ino}`;
}
