import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from 'pegboard';
import type { Gateway } from '../gateway.ts';
import { allPages, kindOf } from '../kinds.ts';

const POLL_MS = 100;

/** What a gateway offers at one moment. */
export interface Snapshot {
  /** Records of core_mcpserver_list: definition and state. */
  readonly servers: readonly JsonObject[];
  /** Tool → its server, or the family of its servers; undefined for Pegboard's own. */
  readonly tools: ReadonlyMap<string, string | undefined>;
  /** Preset → the names of its tools. */
  readonly presets: ReadonlyMap<string, ReadonlySet<string>>;
}

/** @throws Failure */
export async function readSnapshot(gateway: Gateway): Promise<Snapshot> {
  const servers = await kindOf('server').list(gateway);
  const tools = (await kindOf('tool').list(gateway)).map(
    ({ name, server }) => [String(name), server as string | undefined] as const,
  );
  const presets = new Map<string, ReadonlySet<string>>();
  for (const { name } of await kindOf('preset').list(gateway)) {
    const toolset = [`preset:${String(name)}`];
    const own = await allPages((page) => gateway.read('filter_tools', { ...page, toolset }), 'tools');
    presets.set(String(name), new Set(own.map((tool) => String(tool['name']))));
  }
  return { servers, tools: new Map(tools), presets };
}

/** Waits until each server has connected or failed once, for `atMostMs` at most. @throws Failure */
export async function settled(gateway: Gateway, atMostMs: number): Promise<void> {
  const end = performance.now() + atMostMs;
  while ((await kindOf('server').list(gateway)).some(isStarting) && performance.now() < end)
    await pause(POLL_MS);
}

/** Whether its first attempt to connect is under way. */
export function isStarting({ state, consecutiveFailures = 0 }: JsonObject): boolean {
  return (state === 'Starting' || state === 'Connecting') && consecutiveFailures === 0;
}
