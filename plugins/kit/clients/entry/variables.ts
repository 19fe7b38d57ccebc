import { readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, resolve, sep } from 'node:path';
import { isObject } from 'pegboard';
import type { Env, JsonObject } from 'pegboard';
import type { ClientPlace } from '../places.ts';

/** `${{ secrets.NAME }}`, `${…}`, and opencode's `{env:NAME}` and `{file:PATH}`. */
const ANY = /\$\{\{([^{}]*)\}\}|\$\{([^{}]*)\}|(?<![$\w])\{((?:env|file):[^{}]+)\}/g;
/** A value that is one variable, with or without a scheme. */
const WHOLE = /^((?:Bearer |Basic |Token )?)\$([A-Za-z_]\w*)$/;
const NAMED = /^(env[:.]|secrets\.|inputs\.)?([A-Za-z_]\w*)(?::?-([^{}]*))?$/;
/** Programs write other things in braces, too. */
const LIKE_A_VARIABLE = /^(?:\w[\w.]*(?::[^\s{}]*)?$|(?:file|secret|caller|env):)/;
/** What Pegboard alone would fill; to the clients it is text. */
export const FOREIGN = /\$\{(?:file|secret|caller):[^{}]+\}/;
/** Where the client has a folder open, or where its file lies. */
const FOLDERS = new Set(
  [
    'workspaceFolder',
    'workspaceRoot',
    'workspacePath',
    'projectRoot',
    'projectDir',
    'cwd',
    '__dirname',
  ].concat(['CLAUDE_PROJECT_DIR', 'CLAUDE_PLUGIN_ROOT', 'extensionPath']),
);
/** Folders and hosts may be written out: a service does not have the variables of a shell. */
const HARMLESS = /^(HOME|USER|PWD|XDG_\w+|\w*(DIR|PATH|ROOT|FOLDER|HOST|PORT))$/i;

export interface Around {
  /** The entry's name. */
  readonly name: string;
  readonly env: Env;
  readonly place: ClientPlace;
  /** What VS Code asks for, by id. */
  readonly inputs: ReadonlyMap<string, JsonObject>;
}
/** A text in Pegboard's words, or what in it only its client can fill. */
export type Filled = { readonly text: string } | { readonly unknown: string };

/** What the clients would fill in, filled in or referred to as `${env:NAME}`. Source: https://code.visualstudio.com/docs/reference/variables-reference */
export class Variables {
  readonly #around: Around;
  readonly #notes = new Set<string>();
  readonly #read = new Set<string>();
  readonly #asked = new Set<string>();

  constructor(around: Around) {
    this.#around = around;
  }

  /** What the operator should set, one line each. */
  get notes(): readonly string[] {
    return [...this.#notes];
  }

  /** What the client asks for and is not set yet. */
  get asked(): readonly string[] {
    return [...this.#asked];
  }

  /** Texts of files, which are secrets to the one who keeps them there. */
  get secrets(): ReadonlySet<string> {
    return this.#read;
  }

  /** A value of the environment, or of a header. */
  value(text: string): Filled {
    return this.#filled(text.replace(WHOLE, '$1${$2}'), () => undefined);
  }

  /** A word of a command, a folder or a URL. @param isKept whether a name is left to the program, which fills it in by itself */
  word(text: string, isKept: (name: string) => boolean = () => false): Filled {
    const { env } = this.#around;
    const written = (name: string, otherwise: string | undefined, isBare: boolean): string | undefined => {
      if (isBare && isKept(name)) return `\${${name}}`;
      return HARMLESS.test(name)
        ? (env[name] ?? (otherwise?.includes('$') === true ? undefined : otherwise))
        : undefined;
    };
    return this.#filled(text, written);
  }

  #filled(
    text: string,
    written: (name: string, otherwise: string | undefined, isBare: boolean) => string | undefined,
  ): Filled {
    let unknown: string | undefined;
    const filled = text.replace(ANY, (whole: string, double?: string, single?: string, curly?: string) => {
      const inside = double?.trim() ?? single ?? curly ?? '';
      const [, scheme, name, otherwise] = NAMED.exec(inside) ?? [];
      const own =
        this.#ownTo(inside, curly !== undefined) ??
        (name === undefined ? undefined : written(name, otherwise, scheme === undefined));
      if (own !== undefined) return own;
      const isPart = otherwise?.includes('$') === true;
      if (name !== undefined && !FOLDERS.has(name) && !isPart) return this.#reference(name, otherwise);
      if (LIKE_A_VARIABLE.test(inside) || double !== undefined || isPart) unknown ??= whole;
      return whole;
    });
    // A reference to a secret may have been put together of parts.
    unknown ??= FOREIGN.exec(filled)?.[0];
    return unknown === undefined ? { text: filled } : { unknown };
  }

  /** What is known without the environment of the gateway. */
  #ownTo(inside: string, isCurly: boolean): string | undefined {
    const { place, env, inputs } = this.#around;
    const [kind = '', target = ''] = inside.split(/:(.*)/s);
    if (FOLDERS.has(kind)) return place.scope === 'user' ? undefined : place.folder;
    if (kind === 'workspaceFolderBasename' && place.scope !== 'user') return basename(place.folder);
    if (kind === 'userHome') return env['HOME'];
    if (inside === 'pathSeparator' || inside === '/') return sep;
    if (kind === 'input') return this.#input(target, inputs.get(target));
    // To other clients it is text, and to Pegboard a reference.
    return kind === 'file' && (isCurly || place.client === 'windsurf') ? this.#content(target) : undefined;
  }

  #input(id: string, input: JsonObject = {}): string | undefined {
    if (input['type'] === 'command') return undefined;
    const words = `${this.#around.name}_${id}`.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_');
    // What is asked for one server is neither for another one nor a variable that is set already.
    const name = `INPUT_${words.replace(/\W+/g, '_').toUpperCase()}`;
    const preset = input['default'];
    const otherwise = typeof preset === 'string' && /^[^${}]+$/.test(preset) ? preset : undefined;
    if (otherwise === undefined && this.#around.env[name] === undefined) this.#asked.add(`input:${id}`);
    return this.#reference(name, otherwise, ' (its client asks for it)');
  }

  #reference(name: string, otherwise?: string, why = ''): string {
    const isMissing = this.#around.env[name] === undefined && otherwise === undefined;
    if (isMissing) this.#notes.add(`set ${name} where \`pegboard serve\` runs${why}`);
    return `\${env:${name}${otherwise === undefined ? '' : `:-${otherwise}`}}`;
  }

  #content(target: string): string | undefined {
    const { env, place } = this.#around;
    const path = resolve(dirname(place.path), target.replace(/^~(?=\/|$)/, env['HOME'] ?? '~'));
    const text = ownText(path, place)?.trimEnd();
    // Of what a file holds, nothing is a reference.
    if (text === undefined || text.includes('${')) return undefined;
    this.#read.add(text);
    this.#notes.add(`${path} was read now; what changes there later is not seen`);
    return text;
  }
}

/** The text of a file that an entry names; undefined if it cannot be read, or lies outside of the folder of a file that may be of others. */
export function ownText(path: string, { scope, folder }: ClientPlace): string | undefined {
  try {
    const real = realpathSync(path);
    // Others may have written a file that is not the user's own of a client.
    if (scope !== 'user' && !real.startsWith(realpathSync(folder) + sep)) return undefined;
    return readFileSync(real, 'utf8');
  } catch {
    return undefined;
  }
}

/** What a file of VS Code asks for: `inputs: [{ id, … }]`. */
export function inputsIn(file: JsonObject): ReadonlyMap<string, JsonObject> {
  const lists = [file['inputs'], isObject(file['mcp']) ? file['mcp']['inputs'] : undefined];
  const all = lists.flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : [])).filter(isObject);
  return new Map(all.map((input) => [String(input['id']), input]));
}
