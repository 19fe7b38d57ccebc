/** `npm run clients`: agents that people use, against a gateway, with a scripted model. `-- --install` installs them first. */
import { parseArgs } from 'node:util';
import { runEnds } from '../support/cleanup.ts';
import { AGENT_BRIDGE, INSPECTOR_BRIDGE } from './bridge.ts';
import { AGENTS, CLIENTS, INSPECTOR, OPENCODE } from './clients.ts';
import type { Client, Program } from './clients.ts';
import { folderOf, install, isInstalled, newest } from './installation.ts';
import { legsOf, shortLegsOf } from './legs.ts';
import type { Leg } from './legs.ts';
import { LINK, LINKED_CALL } from './link.ts';
import { GEMINI_SIGN_IN, INSPECTOR_PAGE_SIGN_IN, OPENCODE_SIGN_IN } from './pageSignIn.ts';
import { CLAUDE_SIGN_IN, CODEX_SIGN_IN, INSPECTOR_SIGN_IN } from './signIn.ts';

const USAGE = `npm run clients -- [--install] [--newest] [--only <words>]

  --install   installs missing clients from npm, in the user's cache folder; without it they are skipped
  --newest    each client at its newest version instead of the pinned one; installs it
  --only      clients whose name and version contain these words
`;

interface Suite {
  readonly program: Program;
  readonly legs: readonly { readonly title: string; readonly run: () => Promise<string> }[];
  /** The same legs with the newest version. */
  readonly newest: () => Suite;
}
function suite<P extends Program>(program: P, legs: readonly Leg<P>[]): Suite {
  return {
    program,
    legs: legs.map(({ title, run }) => ({ title, run: () => run(program) })),
    newest: () => suite(newest(program), legs),
  };
}
const SIGN_IN: Readonly<Record<string, Leg<Client>>> = {
  'Claude Code': CLAUDE_SIGN_IN,
  Codex: CODEX_SIGN_IN,
  'Gemini CLI': GEMINI_SIGN_IN,
};
function signInOf({ name }: Client): readonly Leg<Client>[] {
  const leg = SIGN_IN[name];
  return leg === undefined ? [] : [leg];
}
const SUITES: readonly Suite[] = [
  ...CLIENTS.map((client) => suite(client, [...legsOf(client), LINK, AGENT_BRIDGE, ...signInOf(client)])),
  ...AGENTS.map((agent) => suite(agent, [...shortLegsOf(agent), LINKED_CALL])),
  suite(OPENCODE, [LINK, OPENCODE_SIGN_IN]),
  suite(INSPECTOR, [INSPECTOR_BRIDGE, INSPECTOR_SIGN_IN, INSPECTOR_PAGE_SIGN_IN]),
];

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      install: { type: 'boolean', default: false },
      newest: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return print(USAGE);
  const pinned = SUITES.filter(({ program }) => titleOf(program).includes(values.only));
  const suites = values.newest ? newestOf(pinned) : pinned;
  if (suites.length === 0) return print(`no client matches ${values.only}\n`, 2);
  let passed = 0;
  let failed = 0;
  const late: string[] = [];
  const skipped: string[] = [];
  for (const { program, legs } of suites) {
    if ((values.install || values.newest) && !isInstalled(program)) {
      print(`installing ${titleOf(program)} into ${folderOf(program)}\n`);
      install(program);
    }
    if (!isInstalled(program)) {
      skipped.push(titleOf(program));
      continue;
    }
    for (const leg of legs) {
      const name = `${titleOf(program)} ${leg.title}`;
      // As .ci/run does with other suites: some of these programs race with themselves (Gemini CLI reads its tokens while it writes them).
      if (await passes(name, leg.run)) passed += 1;
      else if (await passes(`once more: ${name}`, leg.run)) late.push(name);
      else failed += 1;
    }
  }
  if (skipped.length > 0)
    print(`SKIPPED, not installed: ${skipped.join(', ')}; install them with: npm run clients -- --install\n`);
  if (late.length > 0) print(`passed only once more:\n${late.join('\n')}\n`);
  print(`${passed + late.length} passed, ${failed} failed, ${skipped.length} skipped\n`);
  return failed > 0 || passed + late.length === 0 ? 1 : 0;
}

/** Says what was seen. */
async function passes(name: string, run: () => Promise<string>): Promise<boolean> {
  const begun = performance.now();
  try {
    const seen = await run();
    print(`${name}: ${seen} (${Math.round((performance.now() - begun) / 1_000)} s)\n`);
    return true;
  } catch (error) {
    print(`FAULT ${name}: ${String(error)}\n`);
    return false;
  } finally {
    await runEnds();
  }
}

/** A program that is pinned twice comes once, with what is expected of its last pin. */
function newestOf(suites: readonly Suite[]): readonly Suite[] {
  return [...new Map(suites.map((one) => [one.program.name, one])).values()].map((one) => one.newest());
}
function titleOf({ name, version }: Program): string {
  return `${name} ${version}`;
}
function print(text: string, code = 0): number {
  process.stdout.write(text);
  return code;
}

process.exitCode = await main();
