/** One challenge of a 401 response. */
export interface Challenge {
  /** The scheme in lower case. */
  readonly scheme: string;
  readonly token68?: string;
  /** Values by parameter name in lower case; the first one of a parameter that is repeated. */
  readonly parameters: ReadonlyMap<string, string>;
}
/** What a challenge says about the sign-in. */
export interface SignInHint {
  readonly resourceMetadata?: string;
  readonly scope?: string;
  readonly error?: string;
}

const MAX_LINE_CHARS = 8_192;
const MAX_LINES = 20;
const MAX_CHALLENGES = 20;
const TOKEN = "[\\w!#$%&'*+\\-.^`|~]+";
const SEPARATORS = /[ \t,]*/y;
/** Also takes values that should be quoted, such as URLs, as other clients do. */
const PARAMETER = new RegExp(
  `(${TOKEN})[ \\t]*=[ \\t]*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s",=][^\\s",]*))(?=[ \\t,]|$)`,
  'y',
);
const SCHEME = new RegExp(`(${TOKEN})(?=[ \\t,]|$)[ \\t]*`, 'y');
const TOKEN68 = /([\w\-.~+/]+=*)(?=[ \t]*(?:,|$))/y;
/** Schemes of tokens that people sign in for, the usual one first. Source: RFC 9728 §5.1 */
const SCHEMES = ['bearer', 'dpop'];

/** The challenges in `WWW-Authenticate` lines. Of a line that is malformed, what comes before the fault; of what is too long,
 *  the beginning. Never throws. Source: RFC 9110 §11.6.1 */
export function parseChallenges(lines: readonly string[]): readonly Challenge[] {
  return lines.slice(0, MAX_LINES).flatMap(parseLine).slice(0, MAX_CHALLENGES);
}

/** What a client of people needs of them; undefined if none is for tokens. */
export function signInHint(challenges: readonly Challenge[]): SignInHint | undefined {
  const candidates = SCHEMES.flatMap((name) => challenges.filter(({ scheme }) => scheme === name));
  const found = candidates.find(({ parameters }) => parameters.has('resource_metadata')) ?? candidates[0];
  if (found === undefined) return undefined;
  const [resourceMetadata, scope, error] = ['resource_metadata', 'scope', 'error'].map((name) =>
    found.parameters.get(name),
  );
  return {
    ...(resourceMetadata !== undefined && { resourceMetadata }),
    ...(scope !== undefined && { scope }),
    ...(error !== undefined && { error }),
  };
}

interface Open {
  readonly scheme: string;
  token68?: string;
  readonly parameters: Map<string, string>;
}

function parseLine(given: string): readonly Challenge[] {
  const line = given.slice(0, MAX_LINE_CHARS);
  const challenges: Open[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(line);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  while (take(SEPARATORS) !== null && at < line.length) {
    const current = challenges.at(-1);
    const parameter = current?.token68 === undefined ? take(PARAMETER) : null;
    if (parameter !== null) {
      // Without a scheme before it, it belongs to nothing.
      if (current === undefined) break;
      const [, name = '', quoted, plain = ''] = parameter;
      const key = name.toLowerCase();
      const value = quoted?.replace(/\\(.)/g, '$1') ?? plain;
      if (!current.parameters.has(key)) current.parameters.set(key, value);
      continue;
    }
    const scheme = take(SCHEME)?.[1];
    if (scheme === undefined) break;
    const open: Open = { scheme: scheme.toLowerCase(), parameters: new Map() };
    challenges.push(open);
    const before = at;
    // `a=b` is a parameter, `a` alone after a comma the next scheme.
    if (/[ \t]/.test(line[before - 1] ?? '') && !isParameterAt(line, at)) {
      const token68 = take(TOKEN68)?.[1];
      if (token68 !== undefined) open.token68 = token68;
    }
  }
  return challenges;
}

function isParameterAt(line: string, at: number): boolean {
  PARAMETER.lastIndex = at;
  return PARAMETER.test(line);
}
