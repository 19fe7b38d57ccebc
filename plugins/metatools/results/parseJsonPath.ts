import { GatewayError } from 'pegboard';

export type Selector =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' }
  | {
      readonly kind: 'slice';
      readonly from: number | undefined;
      readonly to: number | undefined;
      readonly by: number;
    }
  | {
      readonly kind: 'filter';
      readonly path: readonly PathStep[];
      readonly operator?: string;
      readonly value?: unknown;
    };

/** Selectors applied to every value found so far and, if `deep`, to all values below it. */
export interface PathStep {
  readonly selectors: readonly Selector[];
  readonly deep: boolean;
  /** Its source text, for messages. */
  readonly text: string;
}

const KEY = /[^.[\]"'\s?@(),:=<>!]+/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'/y;
const SLICE = /(0|-?[1-9]\d*)?\s*:\s*(0|-?[1-9]\d*)?(?:\s*:\s*(0|-?[1-9]\d*)?)?/y;
const INDEX = /0|-?[1-9]\d*/y;
const OPERATOR = /==|!=|<=|>=|<|>/y;
const LITERAL = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null/y;
const SPACE = /\s*/y;
/** What RFC 9535 has and this does not. */
const UNSUPPORTED = /&&|\|\||[!@$]|[a-z]\w*\(/y;

/** Parses a JSONPath (RFC 9535; a filter is one path, alone or compared with a value); `$` is optional.
 *  @param maxNesting limit of nested filters, and of `..` in total
 *  @throws GatewayError TOOL_ARGUMENTS naming the position of the error or of the excess */
export function parseJsonPath(path: string, maxNesting: number): readonly PathStep[] {
  const reader = new Reader(path.trim(), maxNesting);
  reader.skip('$');
  const steps: PathStep[] = [];
  while (!reader.atEnd) steps.push(reader.step(steps.length === 0));
  return steps;
}

class Reader {
  readonly #text: string;
  readonly #maxNesting: number;
  #at = 0;
  #filters = 0;
  #descents = 0;

  constructor(text: string, maxNesting: number) {
    this.#text = text;
    this.#maxNesting = maxNesting;
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  skip(literal: string): boolean {
    const isThere = this.#text.startsWith(literal, this.#at);
    if (isThere) this.#at += literal.length;
    return isThere;
  }

  step(isFirst: boolean): PathStep {
    this.#match(SPACE);
    const begin = this.#at;
    const deep = this.skip('..');
    if (deep && ++this.#descents > this.#maxNesting) this.#tooMuch('times ..', begin);
    const named = deep || this.skip('.') || isFirst;
    const selectors = this.skip('[') ? this.#bracket() : [named ? this.#name() : this.#fail()];
    return { selectors, deep, text: this.#text.slice(begin, this.#at) };
  }

  #name(): Selector {
    if (this.skip('*')) return { kind: 'all' };
    const [key] = this.#match(KEY) ?? this.#fail();
    return { kind: 'key', key };
  }

  #bracket(): readonly Selector[] {
    const selectors: Selector[] = [];
    do {
      this.#match(SPACE);
      selectors.push(this.#inBracket());
      this.#match(SPACE);
    } while (this.skip(','));
    if (!this.skip(']')) this.#fail();
    return selectors;
  }

  #inBracket(): Selector {
    if (this.skip('*')) return { kind: 'all' };
    if (this.skip('?')) return this.#filter();
    const quoted = this.#quoted();
    if (quoted !== undefined) return { kind: 'key', key: quoted };
    const slice = this.#match(SLICE);
    if (slice !== undefined) {
      const [, ...parts] = slice as readonly (string | undefined)[];
      const [from, to, by] = parts.map((one) => (one === undefined ? undefined : this.#integer(one)));
      return { kind: 'slice', from, to, by: by ?? 1 };
    }
    const [index] = this.#match(INDEX) ?? this.#fail();
    return { kind: 'index', index: this.#integer(index) };
  }

  /** RFC 9535, 2.1: within what JSON keeps exactly. */
  #integer(text: string): number {
    return Number.isSafeInteger(Number(text)) ? Number(text) : this.#fail(this.#at - text.length);
  }

  /** `@.a.b`, or one comparison of it; parentheses are allowed. */
  #filter(): Selector {
    if (++this.#filters > this.#maxNesting) this.#tooMuch('filters within one another', this.#at - 1);
    this.#match(SPACE);
    const isWrapped = this.skip('(');
    this.#match(SPACE);
    if (!this.skip('@')) this.#fail();
    const path: PathStep[] = [];
    this.#match(SPACE);
    while (/[.[]/.test(this.#text.charAt(this.#at))) {
      path.push(this.step(false));
      this.#match(SPACE);
    }
    const [operator] = this.#match(OPERATOR) ?? [];
    this.#match(SPACE);
    const value = operator === undefined ? undefined : this.#literal();
    this.#match(SPACE);
    if (isWrapped && !this.skip(')')) this.#fail();
    this.#filters -= 1;
    return { kind: 'filter', path, ...(operator !== undefined && { operator, value }) };
  }

  #literal(): unknown {
    const quoted = this.#quoted();
    if (quoted !== undefined) return quoted;
    const [literal] = this.#match(LITERAL) ?? this.#fail();
    return JSON.parse(literal);
  }

  #quoted(): string | undefined {
    const match = this.#match(QUOTED);
    if (match === undefined) return undefined;
    const [quoted, double, single = ''] = match;
    // The escapes are JSON's, but for the quotes of the other kind.
    const text = double ?? single.replaceAll(/\\'|"/g, (quote) => (quote === '"' ? '\\"' : "'"));
    try {
      const value = JSON.parse(`"${text}"`) as string;
      if (!/\p{Surrogate}/u.test(value)) return value;
    } catch {
      // Falls through to the refusal below.
    }
    return this.#fail(this.#at - quoted.length);
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return undefined;
    this.#at = pattern.lastIndex;
    return match;
  }

  #tooMuch(what: string, at: number): never {
    const text = `select has more than ${this.#maxNesting} ${what} at character ${at + 1}`;
    const fix = 'use less nesting, or raise plugins.metatools.config.maxSelectNesting';
    throw new GatewayError('TOOL_ARGUMENTS', `${text}; ${fix}`);
  }

  #fail(at = this.#at): never {
    UNSUPPORTED.lastIndex = at;
    const [found] = UNSUPPORTED.exec(this.#text) ?? [];
    if (found !== undefined) {
      const text = `select does not support ${found.replace('(', '()')} at character ${at + 1}`;
      const fix = 'a filter has one path, alone or compared with a value: [?@.name], [?@.price<10]';
      throw new GatewayError('TOOL_ARGUMENTS', `${text}; ${fix}`);
    }
    const fix = 'use keys with dots, [n], [*], [1:5], ..key and [?@.key==1], for example $.items[0].name';
    throw new GatewayError('TOOL_ARGUMENTS', `select is invalid at character ${at + 1}; ${fix}`);
  }
}
