export type Glob = (text: string) => boolean;

const ASCII = 128;

type Token = { readonly star: true } | { readonly star: false; matches(char: string): boolean };

/** Compiles a glob over whole strings: `*` any run, `?` one character, `[a-z]` and `[^a-z]` classes, `\c` literal.
 *  Matching is linear in text × pattern at worst, whatever the pattern (decision D18).
 *  @throws SyntaxError naming the fault */
export function compileGlob(pattern: string, { caseSensitive = true } = {}): Glob {
  const fold = (text: string): string => (caseSensitive ? text : text.toLowerCase());
  const tokens = tokenize(Array.from(fold(pattern)));
  return (text) => matchTokens(tokens, charsOf(fold(text)));
}

/** The glob of texts that have these parts in order, with anything between them. */
export function globOf(parts: readonly string[]): Glob {
  return compileGlob(parts.map((part) => part.replace(/[*?[\\]/g, '\\$&')).join('*'));
}

/** A string without surrogates is already indexed by character. */
function charsOf(text: string): ArrayLike<string> {
  return /[\ud800-\udfff]/.test(text) ? Array.from(text) : text;
}

/** @returns why the pattern does not compile, or undefined */
export function globFault(pattern: string): string | undefined {
  try {
    compileGlob(pattern);
    return undefined;
  } catch (error) {
    return (error as SyntaxError).message;
  }
}

function tokenize(chars: readonly string[]): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at] ?? '';
    if (char === '*') tokens.push({ star: true });
    else if (char === '?') tokens.push({ star: false, matches: () => true });
    else if (char === '[') {
      const { token, end } = readClass(chars, at + 1);
      tokens.push(token);
      at = end;
    } else {
      const literal = char === '\\' ? chars[++at] : char;
      if (literal === undefined) throw new SyntaxError('trailing backslash');
      tokens.push({ star: false, matches: (candidate) => candidate === literal });
    }
  }
  return tokens;
}

function readClass(chars: readonly string[], start: number): { token: Token; end: number } {
  const negated = chars[start] === '^';
  const ranges: [string, string][] = [];
  let at = negated ? start + 1 : start;
  const readOne = (): string => {
    const char = chars[at] === '\\' ? chars[++at] : chars[at];
    if (char === undefined) throw new SyntaxError('unterminated character class');
    at += 1;
    return char;
  };
  while (chars[at] !== ']' || ranges.length === 0) {
    if (chars[at] === ']') throw new SyntaxError('empty character class');
    const low = readOne();
    if (chars[at] !== '-') {
      ranges.push([low, low]);
      continue;
    }
    at += 1;
    if (chars[at] === ']') throw new SyntaxError('unterminated range in character class');
    ranges.push([low, readOne()]);
  }
  const matches = (char: string): boolean =>
    ranges.some(([low, high]) => char >= low && char <= high) !== negated;
  // A lookup table, because a class may have hundreds of ranges.
  const ascii = Array.from({ length: ASCII }, (_, code) => matches(String.fromCharCode(code)));
  return {
    token: { star: false, matches: (char) => ascii[char.charCodeAt(0)] ?? matches(char) },
    end: at,
  };
}

function matchTokens(tokens: readonly Token[], text: ArrayLike<string>): boolean {
  let token = 0;
  let char = 0;
  let starToken = -1;
  let starChar = 0;
  while (char < text.length) {
    const current = tokens[token];
    if (current?.star) {
      starToken = token;
      starChar = char;
      token += 1;
    } else if (current?.matches(text[char] ?? '')) {
      token += 1;
      char += 1;
    } else if (starToken >= 0) {
      token = starToken + 1;
      starChar += 1;
      char = starChar;
    } else return false;
  }
  while (tokens[token]?.star) token += 1;
  return token === tokens.length;
}
