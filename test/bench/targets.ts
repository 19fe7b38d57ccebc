/** The processes that are compared, each in front of the same upstream. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient, initialize } from './client.ts';
import { cleanEnv, GATEWAY_CORE, launch, LOAD_CORE, pinned, stopChild, urlOf } from './processes.ts';
import { startQuickProvider } from './quickProvider.ts';
import { clientOf, signInAs, writeSettings } from './quickSignIn.ts';
import { writeShared } from './sharedStore.ts';

/** `guarded` is Pegboard with the plugins limits and audit, `signedIn` with sign-in, `shared` with its state in Redis. */
export const TARGET_NAMES = ['floor', 'pegboard', 'guarded', 'signedIn', 'shared'] as const;
export type TargetName = (typeof TARGET_NAMES)[number];
export type UpstreamKind = 'http' | 'stdio';

export interface Target {
  readonly name: TargetName;
  readonly url: string;
  readonly pid: number;
  readonly session: string | undefined;
  /** The access token of every call. */
  readonly token: string | undefined;
  stop(): Promise<void>;
}
export interface HttpUpstream {
  readonly kind: 'http';
  readonly url: string;
  stop(): Promise<void>;
}
/** How a gateway reaches the upstream: a URL, or the command to start it with. */
export type Upstream =
  HttpUpstream | { readonly kind: 'stdio'; readonly command: readonly string[]; stop(): Promise<void> };

export function startUpstream(kind: 'http'): Promise<HttpUpstream>;
export function startUpstream(kind: UpstreamKind): Promise<Upstream>;
export async function startUpstream(kind: UpstreamKind): Promise<Upstream> {
  if (kind === 'stdio') {
    const command = pinned(LOAD_CORE, [process.execPath, modulePath('upstreamStdio.js')]);
    return { kind, command, stop: () => Promise.resolve() };
  }
  const child = launch([process.execPath, modulePath('upstreamHttp.js')], { core: LOAD_CORE });
  const url = await urlOf(child, 'upstream');
  return { kind, url, stop: () => stopChild(child) };
}

/** Starts one gateway on its core. @param directory an empty place for its configuration */
export async function startTarget(name: TargetName, upstream: Upstream, directory: string): Promise<Target> {
  const isFloor = name === 'floor';
  if (name === 'guarded') writeGuards(directory);
  if (name === 'shared') await writeShared(directory);
  const provider = name === 'signedIn' ? await startQuickProvider() : undefined;
  if (provider !== undefined) writeSettings(directory, provider);
  const command = isFloor ? floorCommand(upstream) : pegboardCommand(directory, upstream);
  const child = launch(command, { core: GATEWAY_CORE, env: cleanEnv() });
  const url = await urlOf(child, name);
  const token = provider && (await signInAs(await clientOf(new URL(url).origin), 'bench'));
  provider?.close();
  const session = isFloor ? undefined : await openSession(url, token);
  return { name, url, pid: child.pid ?? 0, session, token, stop: () => stopChild(child) };
}

/** Writes a configuration with one server `up`. @returns the command that serves it on a free port */
export function pegboardCommand(
  directory: string,
  upstream: Upstream,
  nodeFlags: readonly string[] = [],
): string[] {
  const lines =
    upstream.kind === 'http'
      ? ['type: streamable-http', `url: ${upstream.url}`]
      : ['type: stdio', `command: ${JSON.stringify(upstream.command)}`, 'autoStart: true'];
  writeServer(directory, 'up', lines);
  return serveCommand(directory, nodeFlags);
}

/** Serves a directory on a free port. */
export function serveCommand(directory: string, nodeFlags: readonly string[]): string[] {
  const main = fileURLToPath(new URL('../../../dist/kernel/program/pegboard.js', import.meta.url));
  const network = ['--port', '0', '--host', '127.0.0.1'];
  const logs = ['--log-format', 'json', '--log-level', 'info'];
  return [process.execPath, ...nodeFlags, main, 'serve', '--config-path', directory, ...network, ...logs];
}

export function writeServer(directory: string, name: string, lines: readonly string[]): void {
  mkdirSync(join(directory, 'mcpservers'), { recursive: true });
  writeFileSync(join(directory, 'mcpservers', `${name}.yaml`), `${lines.join('\n')}\n`);
}

export function modulePath(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}

/** Limits that apply to every call but are never reached, and a record of every call. */
function writeGuards(directory: string): void {
  const limit = { callsPerMinute: 1e6, burst: 1e6, concurrent: 1_000 };
  const plugins = { limits: { config: { perSession: limit, perServer: limit, perTool: limit } }, audit: {} };
  writeFileSync(join(directory, 'config.yaml'), JSON.stringify({ plugins }));
}

function floorCommand(upstream: Upstream): readonly string[] {
  const rest = upstream.kind === 'http' ? [upstream.url] : upstream.command;
  return [process.execPath, modulePath('floor.js'), upstream.kind, ...rest];
}

async function openSession(url: string, token: string | undefined): Promise<string | undefined> {
  const client = createClient(url);
  client.token = token;
  try {
    await initialize(client);
    return client.session;
  } finally {
    client.close();
  }
}
