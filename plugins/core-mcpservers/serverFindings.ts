import { access, constants, stat } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { fillReferences, hideInUrl, hideInWords, keptUnlessSecret } from 'pegboard';
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
      ...writtenFindings(resource),
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
  const [shown = ''] = hideInWords([file]);
  if (!file.includes('/')) {
    const places = searchPath.split(delimiter).filter((folder) => folder !== '');
    const states = await Promise.all(places.map((folder) => stateOf(join(folder, file))));
    if (states.includes('runs')) return undefined;
    return `command ${shown} is not on the PATH; install it, or give its full path`;
  }
  const state = await stateOf(resolve(file));
  if (state === 'runs') return undefined;
  if (state === 'absent') return `command ${shown} does not exist; correct the path`;
  return `command ${shown} is not executable; run: chmod +x ${shown}`;
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

/** Secrets in what holds no references. */
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
  const fix = `if the server takes it from ${field} too, write it there as \${env:NAME} or \${file:PATH}`;
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
