import { join, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import type { Invocation, JsonObject } from 'pegboard';
import type { Wanted } from '../../kit/add/wantedServer.ts';
import { isUnfilled } from '../../kit/definitions/secretsApart.ts';
import type { Apart } from '../../kit/definitions/secretsApart.ts';
import { optionsOf } from '../commonOptions.ts';
import { ask } from '../confirm.ts';
import { Failure } from '../failure.ts';
import { progressTo } from '../progressTo.ts';
import { argumentGrants, failedGrants, hostGrants } from './proposedGrants.ts';
import type { FileGrant } from './proposedGrants.ts';
import { withTrialOf } from './withTrialOf.ts';
import type { Trial } from './withTrialOf.ts';

/** Starts with other grants: each may show what the next needs. */
const MAX_TRIALS = 6;

/** The keys of a definition that confine its server: what it asked for when it was tried with as little as possible, and a person
 *  has agreed to. Never the home, the directories of Pegboard or files of keys. @throws Failure */
export async function withIsolation(
  { name, spec, isHeld }: Wanted,
  apart: Apart,
  invocation: Invocation,
): Promise<JsonObject> {
  const { directory, env } = invocation;
  if ((spec['type'] ?? 'stdio') !== 'stdio' || spec['command'] === undefined)
    throw new Failure('--isolate is for servers that Pegboard runs; a remote one runs elsewhere');
  const kept = [directory, resolve(env['PEGBOARD_STATE_PATH'] ?? join(directory, 'state'))];
  const words = [spec['command'], spec['args'] ?? []].flat().map(String);
  const first: JsonObject = {
    network: [],
    files: argumentGrants(words, kept).map((file) => ({ ...file })),
    // Of root the kernel counts no processes.
    ...(process.getuid?.() === 0 && { processes: 0 }),
  };
  if (isUnfilled(apart) || isHeld === true) {
    progressTo(invocation)(
      `${name} is not tried in a sandbox yet; look what it lacks with: pegboard get server ${name}`,
    );
    return { isolate: 'sandbox', grants: first };
  }
  return withTrialOf({ name, apart }, invocation, async (tryWith) => {
    let grants = first;
    for (let round = 1; ; round += 1) {
      progressTo(invocation)(`trying ${name} in a sandbox with: ${shown(grants)}`);
      const trial = await tryWith(grants);
      const more = addedTo(grants, trial, { kept, mayTakePaths: isAsked(invocation) });
      if (more === undefined || round === MAX_TRIALS) return agreed(name, { grants, trial }, invocation);
      await leave(`${name} asked for more`, more, invocation);
      grants = more;
    }
  });
}

function isAsked({ options, terminal }: Invocation): boolean {
  return options['yes'] !== true && terminal.input.isTTY === true;
}

/** The grants with what was refused; undefined if that is nothing new. Paths are the server's own words, which a person has to see. */
function addedTo(
  grants: JsonObject,
  trial: Trial,
  { kept, mayTakePaths }: { readonly kept: readonly string[]; readonly mayTakePaths: boolean },
): JsonObject | undefined {
  const known = grants['network'] as readonly string[];
  const hosts = hostGrants(trial).filter((host) => !known.includes(host));
  const files = grants['files'] as readonly (FileGrant & JsonObject)[];
  const found = mayTakePaths && !trial.isUp ? failedGrants(trial, kept) : [];
  const fresh = found.filter(
    ({ path, mode }) => !files.some((one) => one.path === path && (one.mode === mode || one.mode === 'rw')),
  );
  if (hosts.length === 0 && fresh.length === 0) return undefined;
  const others = files.filter(({ path }) => !fresh.some((one) => one.path === path));
  return {
    ...grants,
    network: [...known, ...hosts],
    files: [...others, ...fresh.map((file) => ({ ...file }))],
  };
}

/** @throws Failure unless a person or --yes agrees */
async function leave(what: string, grants: JsonObject, invocation: Invocation): Promise<void> {
  const text = `${what}:\n${shown(grants)}`;
  if (invocation.options['yes'] === true) {
    progressTo(invocation)(text);
    return;
  }
  if (invocation.terminal.input.isTTY !== true)
    throw new Failure(
      `${text}\nnothing was added, as there is no terminal to ask on; --yes grants hosts that it asks for`,
    );
  if (!(await ask(invocation, `${text}\nGrant this?`))) throw new Failure('nothing was added');
}

async function agreed(
  name: string,
  { grants, trial }: { readonly grants: JsonObject; readonly trial: Trial },
  invocation: Invocation,
): Promise<JsonObject> {
  const say = progressTo(invocation);
  if (!trial.isUp)
    throw new Failure(`${name} does not start in a sandbox: ${trial.error ?? ''}; nothing was added`);
  const { quiet } = optionsOf(invocation);
  if (quiet !== true) say('what its tools ask for later is shown as refused by: pegboard get server ' + name);
  await leave(`${name} starts in a sandbox with`, grants, invocation);
  return { isolate: 'sandbox', grants };
}

/** Grants as they are written. */
function shown(grants: JsonObject): string {
  return stringify(parse(JSON.stringify(grants)), { indentSeq: false }).trimEnd();
}
