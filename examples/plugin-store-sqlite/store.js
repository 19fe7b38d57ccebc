import { GatewayError, definitionNameFault } from 'pegboard';

const COLUMNS = 'SELECT kind, name, labels, spec FROM definitions';

/** Definitions as rows. Source: the ResourceStore contract of `pegboard`. */
export class SqliteStore {
  mode = 'sqlite';
  #database;

  constructor(database) {
    this.#database = database;
  }

  async list(kind) {
    const rows = await this.#database.all(`${COLUMNS} WHERE kind = ? ORDER BY name`, [kind]);
    return rows.map(definitionIn);
  }

  async get(kind, name) {
    const [row] = await this.#database.all(`${COLUMNS} WHERE kind = ? AND name = ?`, [kind, name]);
    return row && definitionIn(row);
  }

  async create(kind, { name, labels, spec }) {
    const fault = definitionNameFault(name);
    if (fault !== undefined) throw new GatewayError('STORE_FORBIDDEN', fault);
    const values = [kind, name, labels ? JSON.stringify(labels) : null, JSON.stringify(spec)];
    const insert =
      'INSERT INTO definitions (kind, name, labels, spec) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING';
    if ((await this.#database.run(insert, values)) > 0) return;
    throw new GatewayError('STORE_CONFLICT', `${kind} ${name} exists already; choose another name`);
  }

  async replace(kind, { name, spec }) {
    const update = 'UPDATE definitions SET spec = ? WHERE kind = ? AND name = ?';
    if ((await this.#database.run(update, [JSON.stringify(spec), kind, name])) === 0)
      throw notFound(kind, name);
  }

  async delete(kind, name) {
    const remove = 'DELETE FROM definitions WHERE kind = ? AND name = ?';
    if ((await this.#database.run(remove, [kind, name])) === 0) throw notFound(kind, name);
  }

  /** The onConfigLoad tap. Rows of a kind that no running plugin owns are left out. */
  async addTo(draft, kinds) {
    const known = new Set(kinds.map(({ name }) => name));
    const rows = await this.#database.all(`${COLUMNS} ORDER BY kind, name`);
    const place = { file: this.#database.path };
    const resources = rows
      .filter(({ kind }) => known.has(kind))
      .map((row) => ({ kind: row.kind, ...definitionIn(row), origin: { locate: () => place } }));
    return { ...draft, resources: [...draft.resources, ...resources] };
  }
}

function definitionIn({ name, labels, spec }) {
  return { name, ...(labels && { labels: JSON.parse(labels) }), spec: JSON.parse(spec) };
}

function notFound(kind, name) {
  return new GatewayError(
    'STORE_NOT_FOUND',
    `${kind} ${name} not found; it may have been deleted in the meantime`,
  );
}
