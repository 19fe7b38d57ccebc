import { access, constants, stat } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import type { ReviewFacts, ReviewFinding, Env, Resource } from 'pegboard';
import { MCP_SERVER } from './mcpServerKind.ts';
import type { McpServerSpec } from './mcpServerKind.ts';

const REFERENCE = /\$\{(env|file):([^}]+)\}/g;

/** What would keep a server from starting on this machine: its command, and what its values refer to. */
export async function serverFindings(facts: ReviewFacts<unknown>): Promise<readonly ReviewFinding[]> {
  const servers = facts.resources.filter(({ kind }) => kind === MCP_SERVER);
  const found = await Promise.all(
    servers.map(async (resource) => [
      ...(await commandFinding(resource, facts.env)),
      ...(await referenceFindings(resource, facts)),
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

/** As a shell looks for it. @returns why it cannot be run, with the next step */
async function commandFault(file: string, searchPath: string): Promise<string | undefined> {
  if (!file.includes('/')) {
    const places = searchPath.split(delimiter).filter((folder) => folder !== '');
    const states = await Promise.all(places.map((folder) => stateOf(join(folder, file))));
    if (states.includes('runs')) return undefined;
    return `command ${file} is not on the PATH; install it, or give its full path`;
  }
  const state = await stateOf(resolve(file));
  if (state === 'runs') return undefined;
  if (state === 'absent') return `command ${file} is not there; correct the path`;
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

/** Values never stand in a message, names do. */
async function referenceFindings(
  resource: Resource,
  { env, directory }: ReviewFacts<unknown>,
): Promise<ReviewFinding[]> {
  const spec = resource.spec as McpServerSpec;
  const findings: ReviewFinding[] = [];
  for (const field of ['env', 'headers'] as const) {
    for (const [key, value] of Object.entries(spec[field])) {
      for (const [, kind, name = ''] of value.matchAll(REFERENCE)) {
        const fault = kind === 'env' ? envFault(name, env) : await fileFault(resolve(directory, name));
        const message = `${field}.${key}: ${fault ?? ''}`;
        if (fault !== undefined)
          findings.push({ resource, path: [field, key], message, severity: 'warning' });
      }
    }
  }
  return findings;
}

function envFault(name: string, env: Env): string | undefined {
  return env[name] === undefined ? `the environment variable ${name} is not set; export it` : undefined;
}

async function fileFault(file: string): Promise<string | undefined> {
  const isReadable = await access(file, constants.R_OK).then(
    () => true,
    () => false,
  );
  return isReadable ? undefined : `the file ${file} cannot be read; make it, or correct the path`;
}
