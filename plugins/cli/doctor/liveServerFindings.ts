import { delimiter, join } from 'node:path';
import { accessSync, constants } from 'node:fs';
import { HIDDEN, isObject } from 'pegboard';
import type { Env, JsonObject } from 'pegboard';
import { actionWords } from '../../kit/faults/action.ts';
import { readRemedy } from '../../kit/faults/remedy.ts';
import { Failure } from '../failure.ts';
import type { Gateway } from '../gateway.ts';
import { kindOf } from '../kinds.ts';
import type { DoctorFinding } from './doctorFinding.ts';

const PROBE_SECONDS = 5;

/** A server as core_mcpserver_list reports it. */
export interface ServerRecord {
  readonly name: string;
  readonly type: string;
  readonly state: string;
  readonly sessionStatus: string;
  /** State of the caller's sign-in; only for a server that each caller signs in to. */
  readonly signIn?: string;
  readonly suspended: boolean;
  readonly toolsCount?: number;
  /** What is going on before it answers. */
  readonly progress?: string;
  /** Which parts of its lists were not read. */
  readonly partialLists?: readonly string[];
  readonly error?: string;
  /** Cause and what helps, if the gateway says so as data. */
  readonly remedy?: unknown;
  /** RFC 3339 */
  readonly nextRetryAfter?: string;
  /** What keeps it from the rest of the machine; absent: it is remote. */
  readonly confinement?: string;
  readonly command?: readonly string[];
  readonly url?: string;
  readonly headers?: JsonObject;
}

export async function liveServerFindings(gateway: Gateway, env: Env): Promise<readonly DoctorFinding[]> {
  const servers = await serverRecords(gateway);
  if (servers.length > 0) return Promise.all(servers.map((server) => serverFinding(server, gateway, env)));
  const fix = 'pegboard import, or: pegboard add <name> -- <command…>';
  return [{ level: 'warning', subject: 'servers', message: 'none is defined', fix }];
}

/** While a server is tried again, its record has no error: then the last one counts. @throws Failure */
export async function serverRecords(gateway: Gateway): Promise<readonly ServerRecord[]> {
  const servers = await kindOf('server').list(gateway);
  const services = await kindOf('service').list(gateway);
  return servers.map((server) => {
    const { metadata, remedy } = services.find(({ name }) => name === server['name']) ?? {};
    // That of a connection that all share says nothing about the caller's own.
    const isOwn = server['signIn'] !== undefined;
    const error = isObject(metadata) && !isOwn ? metadata['lastError'] : undefined;
    const confinement = isObject(metadata) ? metadata['confinement'] : undefined;
    return {
      ...(error !== undefined && { error, remedy }),
      confinement,
      ...server,
    } as unknown as ServerRecord;
  });
}

export async function serverFinding(
  server: ServerRecord,
  gateway: Gateway,
  env: Env,
): Promise<DoctorFinding> {
  const {
    name,
    state,
    toolsCount = 0,
    partialLists = [],
    suspended,
    sessionStatus,
    error,
    progress,
    confinement = 'none',
  } = server;
  const subject = `server ${name}`;
  const start = `pegboard start ${name}`;
  if (suspended) return { level: 'warning', subject, message: 'was stopped by an operator', fix: start };
  if (sessionStatus === 'auth_required') return { level: 'error', subject, ...signIn(server) };
  if (sessionStatus === 'connected' && error === undefined) {
    const confined = confinement === 'none' ? [] : [`in ${confinement}`];
    const message = [`${state}, ${toolsCount} tools`, ...confined, ...partialLists].join('; ');
    if (partialLists.length === 0) return { level: 'ok', subject, message };
    const fix = 'raise the bound in config.yaml, or have the paging of the server mended';
    return { level: 'warning', subject, message, fix };
  }
  const wrong = await wrongAddress(server, gateway);
  if (wrong !== undefined) return { level: 'error', subject, ...wrong };
  if (error !== undefined) {
    const message = `${state}: ${readRemedy(server.remedy)?.cause ?? error}${next(server)}`;
    return { level: 'error', subject, message, fix: fixFor(server, gateway, env) };
  }
  const isStarting = state === 'Starting' || state === 'Connecting';
  const fix = isStarting ? `look again: pegboard doctor ${name}` : start;
  return { level: 'warning', subject, message: [`is ${state}`, progress ?? []].flat().join(': '), fix };
}

type Told = Required<Pick<DoctorFinding, 'message' | 'fix'>>;

function signIn(server: ServerRecord): Told {
  const { name } = server;
  const error = readRemedy(server.remedy)?.cause ?? server.error ?? 'HTTP 401';
  if (server.signIn !== undefined)
    return { message: 'wants you to sign in', fix: `pegboard auth login --server ${name}` };
  const headers = `headers: { Authorization: 'Bearer \${env:TOKEN}' }`;
  const fix = `write into the definition of ${name}: ${headers}`;
  return { message: `needs a sign-in: ${error}${next(server)}`, fix };
}

/** What a probe from the gateway's machine says about a URL that does not work: another transport, or no answer. */
async function wrongAddress(server: ServerRecord, gateway: Gateway): Promise<Told | undefined> {
  const { name, type, url, headers } = server;
  // Without its secrets, a URL cannot be tried.
  if (type === 'stdio' || url === undefined || url.includes(HIDDEN)) return undefined;
  const { transport, reachable, requiresAuth, detail } = await probe(gateway, url);
  if (requiresAuth === true && headers === undefined) return signIn(server);
  if ((transport === 'sse' || transport === 'streamable-http') && ![transport, 'auto'].includes(type)) {
    const fix = `pegboard call core_mcpserver_update --name ${name} --type ${transport}`;
    return { message: `${url} speaks ${transport}, but its definition says ${type}`, fix };
  }
  if (reachable !== false) return undefined;
  const remedy = readRemedy(server.remedy);
  const action = remedy?.action ?? ({ do: 'reach', server: name } as const);
  const cause = remedy?.cause ?? String(detail);
  return { message: `${url}: ${cause}${next(server)}`, fix: actionWords(action, 'shell') };
}

async function probe(gateway: Gateway, url: string): Promise<JsonObject> {
  try {
    return await gateway.readCore('core_mcpserver_detect', { url, timeout: PROBE_SECONDS });
  } catch (error) {
    // The operator may have denied this tool.
    if (error instanceof Failure) return {};
    throw error;
  }
}

function fixFor(server: ServerRecord, gateway: Gateway, env: Env): string {
  const { name, command = [], error = '' } = server;
  const [executable = ''] = command;
  const remedy = readRemedy(server.remedy);
  if (!/^command .* cannot be run/.test(error))
    return remedy !== undefined
      ? actionWords(remedy.action, 'shell')
      : `pegboard events --resource-name ${name}, then: pegboard restart ${name}`;
  const own = gateway.endpoint.isOwn ? onPath(executable, env) : undefined;
  if (own === undefined) return `install ${executable}, then: pegboard restart ${name}`;
  return `it is on your PATH, but not on the gateway's; write ${own}: pegboard edit server ${name}`;
}

/** The file that a shell of this user would run. */
function onPath(executable: string, env: Env): string | undefined {
  const files = (env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, executable));
  return files.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function next({ nextRetryAfter }: ServerRecord): string {
  return nextRetryAfter === undefined ? '' : `; next attempt at ${nextRetryAfter}`;
}
