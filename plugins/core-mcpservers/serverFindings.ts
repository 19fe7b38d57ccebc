import { access, constants, stat } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { fillReferences } from 'pegboard';
import { SECRET_REFERENCE } from '../store-kubernetes/contract.ts';
import type { ReviewFacts, ReviewFinding, Env, Resource } from 'pegboard';
import { isForCallers, readAuthRules } from '../auth-client/contract.ts';
import { MCP_SERVER } from './mcpServerKind.ts';
import type { McpServerSpec } from './mcpServerKind.ts';

/** Finds what would prevent a server from starting on this machine: its command, and unresolved references. */
export async function serverFindings(facts: ReviewFacts<unknown>): Promise<readonly ReviewFinding[]> {
  const servers = facts.resources.filter(({ kind }) => kind === MCP_SERVER);
  const found = await Promise.all(
    servers.map(async (resource) => [
      ...(await commandFinding(resource, facts.env)),
      ...referenceFindings(resource, facts),
      ...signInFindings(resource, facts),
    ]),
  );
  return found.flat();
}

async function commandFinding(resource: Resource, env: Env): Promise<ReviewFinding[]> {
  const { type, command, env: own } = resource.spec as McpServerSpec;
  const [file] = typeof command === 'string' ? [command] : (command ?? []);
  if (type !== 'stdio' || file === undefined) return [];
  const path = typeof command === 'string' ? ['command'] : ['command', 0];
  const message = await commandFault(file, own['PATH'] ?? env['PATH'] ?? '');
  return message === undefined ? [] : [{ resource, path, message, severity: 'warning' }];
}

/** Looks the command up as a shell does. @returns why it cannot be run, with the next step */
async function commandFault(file: string, searchPath: string): Promise<string | undefined> {
  if (!file.includes('/')) {
    const places = searchPath.split(delimiter).filter((folder) => folder !== '');
    const states = await Promise.all(places.map((folder) => stateOf(join(folder, file))));
    if (states.includes('runs')) return undefined;
    return `command ${file} is not on the PATH; install it, or give its full path`;
  }
  const state = await stateOf(resolve(file));
  if (state === 'runs') return undefined;
  if (state === 'absent') return `command ${file} does not exist; correct the path`;
  return `command ${file} is not executable; run: chmod +x ${file}`;
}

async function stateOf(file: string): Promise<'runs' | 'absent' | 'plain'> {
  const isFile = await stat(file).then(
    (facts) => facts.isFile(),
    () => undefined,
  );
  if (isFile === undefined) return 'absent';
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

function referenceFindings(
  resource: Resource,
  { env, directory, settings }: ReviewFacts<unknown>,
): readonly ReviewFinding[] {
  const spec = resource.spec as McpServerSpec;
  const unread = (texts: McpServerSpec['env']): readonly { name: string; message: string }[] =>
    Object.entries(settings.orchestrator ? {} : texts)
      .filter(([, text]) => text.search(SECRET_REFERENCE) >= 0)
      .map(([name]) => ({ name, message: 'names a secret, which is read in orchestrator mode only' }));
  return (['env', 'headers'] as const).flatMap((field) =>
    [...fillReferences(spec[field], directory, env).faults, ...unread(spec[field])].map(
      ({ name, message }) => ({
        resource,
        path: [field, name],
        message: `${field}.${name} ${message}`,
        severity: 'warning' as const,
      }),
    ),
  );
}
