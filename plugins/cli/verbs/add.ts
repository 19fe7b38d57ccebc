import type { CommandOption, Invocation, JsonObject } from 'pegboard';
import { addTo } from '../add/addTo.ts';
import { sayUnfilled } from '../add/sayUnfilled.ts';
import { ADD_OPTIONS } from '../../kit/add/addOptions.ts';
import { addWords } from '../../kit/add/addWords.ts';
import { secretsApart } from '../../kit/definitions/secretsApart.ts';
import type { Apart } from '../../kit/definitions/secretsApart.ts';
import { shownTarget } from '../../kit/add/shownTarget.ts';
import { definitionOf } from '../../kit/add/definitionOf.ts';
import type { AddOptions } from '../../kit/add/readOptions.ts';
import { wantedServer } from '../../kit/add/wantedServer.ts';
import type { Wanted } from '../../kit/add/wantedServer.ts';
import { sayHeld, withLeave } from '../add/withLeave.ts';
import { withPin } from '../add/withPin.ts';
import { writeDefinition } from '../add/writeDefinition.ts';
import { COMMON_OPTIONS, optionsOf } from '../commonOptions.ts';
import { endpointOf } from '../endpointOf.ts';
import { Failure, NoGateway } from '../failure.ts';
import { Gateway } from '../gateway.ts';
import { printObject } from '../output/print.ts';
import { progressTo } from '../progressTo.ts';
import { verb } from '../verb.ts';

const OPTIONS: readonly CommandOption[] = [
  ...ADD_OPTIONS,
  {
    flags: '--isolate',
    description: 'try it in a sandbox, and write what it may have into the definition; asks, unless --yes',
  },
];

export const add = verb({
  name: 'add',
  summary: 'add an MCP server and print its tools',
  parameters: [
    { name: '<name>', description: 'name of the server; proposed if it is left out' },
    {
      name: '[target...]',
      description:
        'a command; a URL; a package or an image; JSON; an install link; a server.json, manifest.json, or a line such as claude mcp add …',
    },
  ],
  options: OPTIONS,
  readWords: (words) => addWords(words, [...OPTIONS, ...COMMON_OPTIONS]),
  examples: [
    'pegboard add git -- uvx mcp-server-git',
    'pegboard add @modelcontextprotocol/server-memory',
    'pegboard add claude mcp add --transport http linear https://mcp.linear.app/mcp',
    "pegboard add tracker https://mcp.example.com/mcp --header 'Authorization=${env:TRACKER_TOKEN}'",
    `pegboard add github '{"type":"http","url":"https://api.githubcopilot.com/mcp/"}'`,
    "pegboard add 'cursor://anysphere.cursor-deeplink/mcp/install?name=…&config=…'",
    "pegboard add ./server.json --set region=eu-west-1 --env 'API_KEY=${env:API_KEY}'",
  ],
  run: async (invocation) => {
    const { args: words, env } = invocation;
    const { isOwn, url } = await endpointOf(invocation);
    const options = optionsOf<AddOptions>(invocation);
    const typed = await wantedServer({
      words,
      options,
      env,
      folder: process.cwd(),
      readsFiles: true,
      isOwn,
      url,
    });
    const found = await withPin(typed, invocation);
    const plain = secretsApart(found.name, found.spec, {
      directory: invocation.directory,
      awaitsSecrets: true,
      ...(found.secrets && { known: found.secrets }),
    });
    if (plain.wanted.length > 0 && !isOwn) throw noFileFor(found);
    const say = progressTo(invocation);
    if (found.isNamedHere)
      say(`named ${found.name}; for another name: pegboard add <name> ${shownTarget(words.slice(1))}`);
    for (const note of found.notes) say(note);
    const left = await withLeave(found, plain, invocation);
    const keys = await isolation(left, plain, { invocation, isOwn });
    const wanted = { ...left, spec: { ...left.spec, ...keys } };
    const apart = { ...plain, spec: { ...plain.spec, ...keys } };
    try {
      return await Gateway.connected(invocation, (gateway) => addTo(gateway, wanted, apart, invocation));
    } catch (error) {
      if (!(error instanceof NoGateway) || !isOwn) throw error;
      return write(wanted, apart, invocation);
    }
  },
});

/** What `--isolate` adds to the definition. @throws Failure */
async function isolation(
  wanted: Wanted,
  apart: Apart,
  { invocation, isOwn }: { readonly invocation: Invocation; readonly isOwn: boolean },
): Promise<JsonObject> {
  if (invocation.options['isolate'] !== true) return {};
  if (!isOwn) throw new Failure("--isolate tries the server here, and the gateway is another machine's");
  const { withIsolation } = await import('../add/withIsolation.ts');
  return withIsolation(wanted, apart, invocation);
}

function noFileFor({ name, spec: { command, url } }: Wanted): Failure {
  const target = typeof url === 'string' ? [url] : ([command].flat() as string[]);
  return new Failure(
    `a secret is still a placeholder, and only the gateway of this directory has files for secrets; type it in: pegboard add ${name} ${shownTarget(target)}`,
  );
}

/** No gateway runs, so the file is written as the gateway would write it. */
async function write(wanted: Wanted, apart: Apart, invocation: Invocation): Promise<number> {
  const { name, spec, isHeld } = wanted;
  const written = definitionOf({ type: spec['type'] ?? 'auto', ...apart.spec }, apart, wanted);
  const file = await writeDefinition({ name, spec: written, secrets: apart.secrets }, invocation.directory);
  progressTo(invocation)(`wrote ${file}; no gateway runs yet, start it with: pegboard serve`);
  if (optionsOf(invocation).output !== 'table') printObject(invocation, { name, file }, name);
  if (isHeld === true) return sayHeld(name, invocation);
  return sayUnfilled(name, apart, { invocation, where: `edit ${file}` });
}
