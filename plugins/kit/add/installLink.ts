import { Failure } from '../text/failure.ts';

/** What an install link of a client holds. */
export interface LinkContent {
  readonly name?: string;
  /** JSON text of the entry, or the entry itself. */
  readonly entry: string | Readonly<Record<string, unknown>>;
}

/** Reads the links behind the buttons of READMEs: those of Cursor, VS Code, LM Studio, goose, Kiro, Raycast, Cherry Studio and Claude.
 *  @throws Failure that says what is missing; it holds nothing of the link but its beginning */
export function installLink(link: string): LinkContent {
  const plain = link.replaceAll('&amp;', '&').replaceAll('&#x3D;', '=');
  const query = queryIn(plain);
  const inner = /^https?:\/\/(?:[\w-]+\.)*vscode\.dev\/redirect\?/i.test(plain)
    ? valueOf(query, 'url')
    : undefined;
  // The address behind url= is encoded, or has its own question mark.
  if (inner !== undefined) return installLink(inner);
  if (/^goose:|\/goose\/extension/i.test(plain)) return gooseEntry(query, plain);
  const name = valueOf(query, 'name') ?? valueOf(query, 'mcpName');
  const connector = valueOf(query, 'mcpServerUrl');
  if (connector !== undefined) return { ...(name !== undefined && { name }), entry: { url: connector } };
  const config = valueOf(query, 'config') ?? valueOf(query, 'servers');
  const text = config ?? (/^[%{]/.test(query) ? decoded(query) : undefined);
  const entry = text === undefined ? undefined : jsonIn(text);
  if (entry === undefined) throw unreadable(plain, 'it holds no configuration of a server');
  return { ...(name !== undefined && name !== '' && { name }), entry };
}

function queryIn(link: string): string {
  const at = link.indexOf('?');
  return at < 0 ? '' : link.slice(at + 1);
}

/** A value of a query. That of `url` comes last, and is often not encoded in full. */
function valueOf(query: string, key: string): string | undefined {
  const part = query.split('&').find((one) => one.startsWith(`${key}=`));
  if (part === undefined) return undefined;
  const whole = key === 'url' ? query.slice(query.indexOf(part)) : part;
  return decoded(whole.slice(key.length + 1));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** JSON, encoded once more or not, or in base64. */
function jsonIn(text: string): string | undefined {
  // Some decoders read a plus sign in a query as a blank, which base64 does not have.
  const forms = [text, decoded(text), Buffer.from(text.replaceAll(' ', '+'), 'base64').toString('utf8')];
  return [...forms, ...forms.map(decoded)].find((form) => isJson(form));
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

/** goose names each part by a parameter; `env` is a variable with a description, not with a value. */
function gooseEntry(query: string, link: string): LinkContent {
  const asked = new URLSearchParams(query);
  const [cmd, url, type] = ['cmd', 'url', 'type'].map((key) => asked.get(key) ?? undefined);
  if (cmd === undefined && url === undefined) throw unreadable(link, 'it names neither cmd nor url');
  const variables = asked.getAll('env').map((pair) => [pair.split('=', 1)[0] ?? '', placeholderOf(pair)]);
  const headers = asked.getAll('header').map((pair) => [pair.split('=', 1)[0] ?? '', placeholderOf(pair)]);
  const args = asked.getAll('arg').flatMap((word) => (/^-\w \S+$/.test(word) ? word.split(' ') : [word]));
  const description = asked.get('description');
  const about = {
    ...(description !== null && { description }),
    ...(asked.has('timeout') && { timeout: Number(asked.get('timeout')) }),
  };
  const name = asked.get('id') ?? asked.get('name');
  return {
    ...(name !== null && { name }),
    entry:
      cmd === undefined
        ? { ...about, ...(type !== undefined && { type }), url, headers: Object.fromEntries(headers) }
        : { ...about, command: cmd, args, env: Object.fromEntries(variables) },
  };
}

/** What the form of goose asks for. */
function placeholderOf(pair: string): string {
  return `<${(/^[^=]*=(.+)$/s.exec(pair)?.[1] ?? pair).replaceAll(/[<>]/g, '')}>`;
}

function unreadable(link: string, why: string): Failure {
  const [start = ''] = /^[a-z][\w+.-]*:[^?]{0,80}/i.exec(link) ?? [];
  return new Failure(
    `the link ${start}?… cannot be read: ${why}; use: pegboard add <name> -- <command>, or: pegboard add <name> <url>`,
  );
}
