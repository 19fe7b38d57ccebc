import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { isObject } from 'pegboard';
import type { Invocation, JsonObject } from 'pegboard';
import type { Apart } from '../../kit/definitions/secretsApart.ts';
import { optionsOf } from '../commonOptions.ts';
import { SERVER_KIND } from '../definitions/definitionKinds.ts';
import { fileText } from '../definitions/plainDefinition.ts';
import { Failure } from '../failure.ts';
import type { Gateway } from '../gateway.ts';
import { pauseFor } from '../pauseFor.ts';
import { withTrialGateway } from '../plan/withTrialGateway.ts';
import { readConfig } from '../readConfig.ts';
import type { Seen } from './proposedGrants.ts';

const LOOK_MS = 300;
/** When a changed definition has been read, on a busy machine, too. */
const REFUSED_MS = 5_000;
const MAX_LINES = 200;
/** What of `aggregator` matters for a server that reaches other machines. */
const NETWORK = ['proxy', 'noProxy', 'proxyResolves', 'extraCaFile'];

/** What a start of a server in a sandbox has shown. */
export interface Trial extends Seen {
  readonly isUp: boolean;
  readonly error: string | undefined;
}
/** Starts the server with these grants. @throws Failure */
export type TryWith = (grants: JsonObject) => Promise<Trial>;

/** Serves a definition alone, by a gateway of its own with an empty state, while `use` runs. @throws Failure */
export async function withTrialOf<T>(
  { name, apart }: { readonly name: string; readonly apart: Apart },
  invocation: Invocation,
  use: (tryWith: TryWith) => Promise<T>,
): Promise<T> {
  const temporary = await mkdtemp(join(tmpdir(), 'pegboard-add-'));
  try {
    const write = (grants: JsonObject): Promise<void> => {
      const spec = { type: 'stdio', ...apart.spec, isolate: 'sandbox', grants, autoStart: true };
      const text = fileText({ kind: SERVER_KIND, name, spec });
      return writeFile(join(temporary, SERVER_KIND.folder, `${name}.yaml`), text, { mode: 0o600 });
    };
    await prepare(temporary, apart, invocation.directory);
    await write({ network: [] });
    return await withTrialGateway(temporary, invocation, (gateway) =>
      use(async (grants) => {
        await write(grants);
        return shownBy(gateway, { name, grants }, invocation);
      }),
    );
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** The directory of the trial: what a definition may refer to, and the settings of networks and sandboxes. */
async function prepare(temporary: string, { secrets }: Apart, directory: string): Promise<void> {
  const { aggregator, plugins } = (await readConfig(directory)).value;
  const network = Object.entries(isObject(aggregator) ? aggregator : {})
    .filter(([key]) => NETWORK.includes(key))
    .map(([key, value]) => [key, key === 'extraCaFile' ? resolve(directory, String(value)) : value]);
  const isolate = isObject(plugins) && isObject(plugins['isolate']) ? { isolate: plugins['isolate'] } : {};
  const config = { aggregator: Object.fromEntries(network) as JsonObject, plugins: isolate };
  await mkdir(join(temporary, SERVER_KIND.folder));
  await mkdir(join(temporary, 'secrets'), { mode: 0o700 });
  await writeFile(join(temporary, 'config.yaml'), JSON.stringify(config), { mode: 0o600 });
  for (const { path, text } of secrets) {
    const place = join(temporary, relative(directory, path));
    await mkdir(dirname(place), { recursive: true, mode: 0o700 });
    await writeFile(place, text, { mode: 0o600 });
  }
  for (const folder of ['', 'secrets'])
    for (const entry of await readdir(join(directory, folder), { withFileTypes: true }).catch(() => []))
      if (entry.isFile() && entry.name !== 'config.yaml')
        await symlink(join(directory, folder, entry.name), join(temporary, folder, entry.name)).catch(
          // It has a secret of the new definition there.
          () => undefined,
        );
}

/** What a process with these grants has shown once it answers or has failed. */
async function shownBy(
  gateway: Gateway,
  { name, grants }: { readonly name: string; readonly grants: JsonObject },
  invocation: Invocation,
): Promise<Trial> {
  const begun = Date.now();
  const until = begun + Number(optionsOf(invocation).timeout) * 1_000;
  const hosts = (grants['network'] as readonly string[]).join(', ') || 'no host';
  for (;;) {
    const status = await gateway.readCore('core_service_status', { name }).catch((): JsonObject => ({}));
    const { state, error, metadata } = status;
    const { confinement, refusedHosts = [] } = isObject(metadata) ? metadata : {};
    const isCurrent =
      String(confinement).startsWith(`sandbox; network ${hosts};`) && isShown(String(confinement), grants);
    const isUp = state === 'running';
    // A definition that cannot be confined so has no process that would show these grants.
    const isRefused = error !== undefined && state !== 'starting' && Date.now() > begun + REFUSED_MS;
    if ((isCurrent && (isUp || error !== undefined)) || isRefused || Date.now() > until) {
      const answer = await gateway.readCore('core_server_logs', { server: name, lines: MAX_LINES });
      const lines = (answer['lines'] as readonly JsonObject[]).map(({ text }) =>
        typeof text === 'string' ? text : '',
      );
      const why = isUp ? undefined : String(error ?? state);
      return { isUp, error: why, lines, hosts: refusedHosts as readonly string[] };
    }
    await pauseFor(LOOK_MS, invocation.cancel);
    if (invocation.cancel.reason !== undefined) throw new Failure('interrupted; nothing was added');
  }
}

/** Whether it is the process with these files. */
function isShown(confinement: string, { files = [] }: JsonObject): boolean {
  return (files as readonly JsonObject[]).every(({ path, mode }) =>
    confinement.includes(`${String(path)} (${String(mode)})`),
  );
}
