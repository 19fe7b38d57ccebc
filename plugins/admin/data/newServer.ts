import { ConfigControl, GatewayError, definitionNameFault, isGatewayError, isObject } from 'pegboard';
import type { InboundRequest, JsonObject, Scope } from 'pegboard';
import { detectArguments } from '../../kit/add/detectArguments.ts';
import { definitionOf } from '../../kit/add/definitionOf.ts';
import { shownServer } from '../../kit/add/shownServer.ts';
import { typedText } from '../../kit/add/typedText.ts';
import { targetKind } from '../../kit/add/targetKind.ts';
import { NameFault, isOnPath, wantedServer } from '../../kit/add/wantedServer.ts';
import type { Wanted } from '../../kit/add/wantedServer.ts';
import { refusedReferences } from '../../kit/definitions/refuseReferences.ts';
import { isUnfilled, secretsApart } from '../../kit/definitions/secretsApart.ts';
import type { Apart } from '../../kit/definitions/secretsApart.ts';
import { unpinnedWords } from '../../kit/packages/unpinnedWords.ts';
import { Failure } from '../../kit/text/failure.ts';
import { ResourceStore } from '../../contracts/definitions.ts';
import { HttpListener } from '../../contracts/http.ts';
import { KIND, yamlOf } from './draft.ts';
import { shown } from '../../kit/pages/words.ts';
import { runTool } from './runTool.ts';

/** Names of the fields of the form. */
export const FIELDS = ['text', 'name', 'transport', 'env', 'headers', 'values', 'description'] as const;
export type Field = (typeof FIELDS)[number];
export type Sent = Readonly<Record<Field, string>>;

/** What a form has asked for. */
export interface NewServer {
  readonly sent: Sent;
  /** What is wrong, by field. */
  readonly faults: ReadonlyMap<Field, string>;
  /** Absent if something is wrong. */
  readonly planned?: PlannedServer;
}
export interface PlannedServer {
  readonly name: string;
  /** Its secrets are references to files. */
  readonly spec: JsonObject;
  readonly secrets: Apart['secrets'];
  /** What is written. */
  readonly yaml: string;
  /** What it starts, or where it connects. */
  readonly runs: string;
  readonly isRemote: boolean;
  readonly notes: readonly string[];
}

export function sentIn(form: URLSearchParams): Sent {
  // Browsers send line breaks of a text area as CRLF.
  const entries = FIELDS.map((field) => [field, (form.get(field) ?? '').replaceAll('\r\n', '\n')] as const);
  return Object.fromEntries(entries) as Record<Field, string>;
}

/** Reads a form by the reader of `pegboard add`. */
export async function newServer(
  scope: Scope<unknown>,
  sent: Sent,
  request: InboundRequest,
): Promise<NewServer> {
  try {
    const wanted = await wantedBy(scope, sent);
    const planned = await plannedFor(scope, wanted, request);
    return { sent: { ...sent, name: planned.name }, faults: new Map(), planned };
  } catch (error) {
    if (error instanceof FieldFault) return { sent, faults: new Map([[error.field, error.message]]) };
    if (error instanceof NameFault) return { sent, faults: new Map([['name', 'type a name for it']]) };
    if (error instanceof Failure) return { sent, faults: new Map([['text', error.message]]) };
    throw error;
  }
}

class FieldFault extends Error {
  readonly field: Field;
  constructor(field: Field, message: string) {
    super(message);
    this.field = field;
  }
}

async function wantedBy(scope: Scope<unknown>, sent: Sent): Promise<Wanted> {
  const { text, name, transport, description } = sent;
  if (text.trim() === '') throw new FieldFault('text', 'paste or type what is to be added');
  const nameFault = name.trim() === '' ? undefined : definitionNameFault(name.trim());
  if (nameFault !== undefined) throw new FieldFault('name', nameFault);
  const { words, options } = typedText(text);
  const [proposed = '', ...target] = words;
  const [word = '', ...others] = target;
  if (others.length === 0 && isBare(word) && !isOnPath(word, process.env))
    throw new FieldFault(
      'text',
      `no program is called ${shown(word)} here; for a package write: npx -y ${shown(word)}, or: uvx ${shown(word)}`,
    );
  const address = scope.find(HttpListener)?.url() ?? '';
  return wantedServer({
    words: [name.trim() === '' ? proposed : name.trim(), ...target],
    options: {
      ...options,
      env: [...(options.env ?? []), ...linesIn(sent, 'env', '=')],
      header: [...(options.header ?? []), ...linesIn(sent, 'headers', ':')],
      set: [...(options.set ?? []), ...linesIn(sent, 'values', '=')],
      ...(transport !== '' && { transport }),
      ...(description.trim() !== '' && { description: description.trim() }),
    },
    env: process.env,
    folder: scope.get(ConfigControl).directory,
    readsFiles: false,
    isOwn: true,
    url: `${address}/mcp`,
  });
}

/** Whether it may be a program or a package. */
function isBare(word: string): boolean {
  return targetKind(word) === 'word' && !word.includes('/');
}

/** @throws FieldFault that holds nothing of a value */
function linesIn(sent: Sent, field: 'env' | 'headers' | 'values', sign: string): readonly string[] {
  const lines = sent[field].split('\n').map((line) => line.trim());
  const wrong = lines.findIndex((line) => line !== '' && line.indexOf(sign) < 1);
  if (wrong >= 0) throw new FieldFault(field, `line ${wrong + 1}: write NAME${sign}value`);
  return lines.filter((line) => line !== '');
}

async function plannedFor(
  scope: Scope<unknown>,
  wanted: Wanted,
  request: InboundRequest,
): Promise<PlannedServer> {
  const { name } = wanted;
  const store = scope.get(ResourceStore);
  const control = scope.get(ConfigControl);
  if ((await store.get(KIND, name)) !== undefined)
    throw new FieldFault('name', `a server ${name} exists already; choose another name, or edit that one`);
  const refused = refusedReferences(scope, { next: wanted.spec, stored: {} });
  if (refused.length > 0)
    throw new FieldFault('text', [...new Set(refused.map(({ message }) => message))].join('; '));
  const { directory } = control;
  const known = wanted.secrets && { known: wanted.secrets };
  const apart = secretsApart(name, wanted.spec, { directory, awaitsSecrets: false, ...known });
  if (isUnfilled(apart))
    throw new FieldFault('text', `${apart.unfilled.join(', ')} is a placeholder; type a value of your own`);
  if (apart.secrets.length > 0 && store.mode !== 'filesystem')
    throw new FieldFault(
      'text',
      'it holds a secret, and this gateway keeps its definitions in a cluster; put the secret into a Secret there, and refer to it from a custom resource',
    );
  const type = apart.spec['type'] ?? (await transportAt(scope, wanted, request));
  const spec = definitionOf({ type, ...apart.spec }, apart, {});
  const issues = control.validate(KIND, name, spec);
  const texts = (severity: string): readonly string[] =>
    issues.filter((issue) => issue.severity === severity).map(({ message }) => message);
  if (texts('error').length > 0) throw new FieldFault('text', texts('error').join('; '));
  return {
    name,
    spec,
    secrets: apart.secrets,
    yaml: yamlOf(spec),
    runs: shownServer(name, spec),
    isRemote: spec['url'] !== undefined,
    notes: [...wanted.notes, ...texts('warning'), ...unpinnedNotes(name, spec)],
  };
}

/** Not pinned here: between what is shown and what is written, the registry could name another version. */
function unpinnedNotes(name: string, { type, command, args }: JsonObject): readonly string[] {
  const words = [command ?? [], args ?? []].flat().map(String);
  return type === 'stdio' ? [unpinnedWords(words, name) ?? []].flat() : [];
}

/** What answers at the URL. What others wrote is asked nothing before the operator has seen it.
 *  @throws FieldFault if nothing answers as an MCP server */
async function transportAt(
  scope: Scope<unknown>,
  { spec, origin }: Wanted,
  request: InboundRequest,
): Promise<string> {
  if (origin === 'others' || origin === 'json') return 'auto';
  try {
    const args = detectArguments(spec);
    const { structuredContent } = await runTool(scope, 'core_mcpserver_detect', args, request);
    const { transport, detail } = isObject(structuredContent) ? structuredContent : {};
    if (transport === 'sse' || transport === 'streamable-http') return transport;
    throw new FieldFault('text', `${String(detail)}; choose a transport to add it without asking it`);
  } catch (error) {
    if (isGatewayError(error) && error.expose) throw new FieldFault('text', error.message);
    throw error;
  }
}

/** The faults in one error, for those who ask for JSON. */
export function faultsError(faults: NewServer['faults']): GatewayError {
  const words = [...faults].map(([field, fault]) => `${field}: ${fault}`).join('; ');
  return new GatewayError('TOOL_ARGUMENTS', words);
}
