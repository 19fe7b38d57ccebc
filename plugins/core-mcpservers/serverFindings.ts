import { access, constants, stat } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { fillReferences, hideInUrl, hideInWords, keptUnlessSecret } from 'pegboard/kit';
import type { JsonObject, ReviewFacts, ReviewFinding, Resource } from 'pegboard';
import { SECRET_REFERENCE } from '../contracts/secrets.ts';
import { isForCallers, readAuthRules } from '../kit/oauth/authRules.ts';
import { MCP_SERVER } from './mcpServerKind.ts';
import { unpinnedFindings } from './sourceFindings.ts';
import type { McpServerSpec } from './mcpServerSpec.ts';

/** Finds what would prevent a server from starting on this machine: its command, and unresolved references. */
export async function serverFindings(facts: ReviewFacts<unknown>): Promise<readonly ReviewFinding[]> {
  const servers = facts.resources.filter(({ kind }) => kind === MCP_SERVER);
  const found = await Promise.all(
    servers.map(async (resource) => [
      ...(await commandFinding(resource, facts)),
      ...referenceFindings(resource, facts),
      ...signInFindings(resource, facts),
      ...writtenFindings(resource),
      ...unpinnedFindings(resource.name, resource.spec as McpServerSpec).map((one) => ({ ...one, resource })),
    ]),
  );
  return found.flat();
}

async function commandFinding(
  resource: Resource,
  { env, directory }: ReviewFacts<unknown>,
): Promise<ReviewFinding[]> {
  const { type, command, cwd = '.', env: own, isolate, runsIn } = resource.spec as McpServerSpec;
  const [given] = typeof command === 'string' ? [command] : (command ?? []);
  // Of a pod it is in the image.
  if (type !== 'stdio' || given === undefined || runsIn === 'pod') return [];
  const { file = '', folder = '' } = fillReferences({ file: given, folder: cwd }, directory, env).values;
  const path = typeof command === 'string' ? ['command'] : ['command', 0];
  const [shown = ''] = hideInWords([given]);
  const place = 'cwd' in resource.spec ? resolve(directory, folder) : '.';
  if (cwd.search(SECRET_REFERENCE) < 0 && (await stateOf(place)) !== 'folder') {
    const message = `cwd ${cwd} is not a folder; correct it`;
    return [{ resource, path: ['cwd'], message, severity: 'warning' }];
  }
  // It is in the image.
  if (isolate === 'container') return [];
  const message = await commandFault(file, { searchPath: own['PATH'] ?? env['PATH'] ?? '', place, shown });
  return message === undefined ? [] : [{ resource, path, message, severity: 'warning' }];
}

interface LookUp {
  readonly searchPath: string;
  /** The folder in which it runs. */
  readonly place: string;
  /** The file without secrets. */
  readonly shown: string;
}

/** Looks the command up as a shell does. @returns why it cannot be run, with the next step */
async function commandFault(file: string, { searchPath, place, shown }: LookUp): Promise<string | undefined> {
  if (!file.includes('/')) {
    const places = searchPath.split(delimiter).filter((folder) => folder !== '');
    const states = await Promise.all(places.map((folder) => stateOf(join(folder, file))));
    if (states.includes('runs')) return undefined;
    return `command ${shown} is not on the PATH; install it, or give its full path`;
  }
  const state = await stateOf(resolve(place, file));
  if (state === 'runs') return undefined;
  if (state === 'absent') return `command ${shown} does not exist; correct the path`;
  return `command ${shown} is not executable; run: chmod +x ${shown}`;
}

async function stateOf(file: string): Promise<'runs' | 'absent' | 'plain' | 'folder'> {
  const facts = await stat(file).catch(() => undefined);
  if (facts === undefined) return 'absent';
  if (facts.isDirectory()) return 'folder';
  const isFile = facts.isFile();
  const isExecutable = await access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
  return isFile && isExecutable ? 'runs' : 'plain';
}

/** Callers cannot get what the server wants of them. */
function signInFindings(resource: Resource, { settings }: ReviewFacts<unknown>): readonly ReviewFinding[] {
  const { mcpClient } = (settings.aggregator['oauth'] ?? {}) as { mcpClient?: { enabled?: boolean } };
  if (mcpClient?.enabled === true || !isForCallers(readAuthRules(resource.spec))) return [];
  const fix = 'set aggregator.oauth.mcpClient.enabled: true';
  const message = `each caller needs credentials of their own, but callers cannot sign in at servers; ${fix}`;
  return [{ resource, path: [], message, severity: 'warning' }];
}

/** Secrets outside of env and headers, which the schema marks. */
function writtenFindings(resource: Resource): readonly ReviewFinding[] {
  const { type, command, args = [], url = '' } = resource.spec as McpServerSpec;
  const isStdio = type === 'stdio';
  const head = [command ?? []].flat();
  const words = isStdio ? [...head, ...args] : [];
  const at = hideInWords(words, keptUnlessSecret).flatMap((word, index) => {
    if (word === words[index]) return [];
    if (index >= head.length) return [['args', index - head.length]];
    return [typeof command === 'string' ? ['command'] : ['command', index]];
  });
  if (!isStdio && hideInUrl(url, keptUnlessSecret) !== url) at.push(['url']);
  const field = isStdio ? 'env' : 'headers';
  const fix = `write it as \${env:NAME} or \${file:PATH}, in ${field} if the server takes it from there too`;
  return at.map((path) => ({
    resource,
    path,
    message: `${path.join('.')} holds a secret as plain text; ${fix}`,
    severity: 'warning',
  }));
}

function referenceFindings(
  resource: Resource,
  { env, directory, settings }: ReviewFacts<unknown>,
): readonly ReviewFinding[] {
  const faultsOf = (text: string): readonly { readonly message: string }[] => {
    const { faults } = fillReferences({ text }, directory, env);
    if (settings.orchestrator || text.search(SECRET_REFERENCE) < 0) return faults;
    return [...faults, { message: 'names a secret, which is read in orchestrator mode only' }];
  };
  return textsOf(resource.spec as McpServerSpec).flatMap(([path, text]) =>
    faultsOf(text).map(({ message }) => ({
      resource,
      path,
      message: `${path.join('.')} ${message}`,
      severity: 'warning',
    })),
  );
}

/** The texts that may hold references, by their path. */
function textsOf(spec: McpServerSpec): readonly (readonly [path: ReviewFinding['path'], text: string])[] {
  return ['env', 'headers', 'command', 'args', 'cwd', 'url', 'messageUrl'].flatMap((field) => {
    const value = spec[field] ?? [];
    if (typeof value === 'string') return [[[field], value]];
    const isList = Array.isArray(value);
    return Object.entries(value).map(([key, text]) => [[field, isList ? Number(key) : key], String(text)]);
  });
}

/** Warnings of tools that a command may run other code at each start. @param spec without errors */
export function unpinnedWarnings(name: string, spec: JsonObject): readonly string[] {
  return unpinnedFindings(name, spec as unknown as McpServerSpec).map(
    ({ message }) => `${MCP_SERVER} ${name}: ${message}`,
  );
}
