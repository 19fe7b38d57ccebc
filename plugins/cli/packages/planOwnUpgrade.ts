import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { VERSION, isObject, issueText, messageOf } from 'pegboard';
import type { Invocation, Issue } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { Failure } from '../failure.ts';
import { asText } from '../output/print.ts';
import { progressTo } from '../progressTo.ts';
import { runCheck } from '../runCheck.ts';

const run = promisify(execFile);

interface Planned {
  readonly version: string;
  readonly changes: string;
  readonly issues: readonly Issue[];
  readonly directory: string;
}

/** Says what another version of Pegboard would change here: its changelog, and what its `check` finds that this version's does not.
 *  It is unpacked into a folder of its own, and only its `check` runs, which starts nothing.
 *  @param plan a version or tag; or a tarball, as a path or address
 *  @returns the exit code: 1 if it would refuse the configuration @throws Failure */
export async function planOwnUpgrade(invocation: Invocation, plan: string): Promise<number> {
  const { terminal, directory, env, cancel } = invocation;
  const wanted = wantedOf(plan);
  const ended = new AbortController();
  const { signal } = ended;
  const unlisten = cancel.onCancel(() => ended.abort());
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-upgrade-'));
  try {
    progressTo(invocation)(`fetching ${wanted}`);
    const version = await fetchInto(folder, wanted, { env: { ...env }, signal });
    const program = join(folder, 'package/dist/kernel/program/pegboard.js');
    const changes = changesSince(await readFile(join(folder, 'package/CHANGELOG.md'), 'utf8'), VERSION);
    const [now, then] = await Promise.all([
      issuesOf(directory, signal),
      issuesOf(directory, signal, program),
    ]);
    const known = new Set(now.map(issueText));
    const issues = then.filter((issue) => !known.has(issueText(issue)));
    const { output } = optionsOf(invocation);
    const said =
      output === 'json' || output === 'yaml'
        ? asText({ from: VERSION, to: version, changelog: changes, issues }, output)
        : inWords({ version, changes, issues, directory });
    terminal.out(`${said.trimEnd()}\n`);
    return then.some(({ severity }) => severity === 'error') ? 1 : 0;
  } finally {
    unlisten();
    await rm(folder, { recursive: true, force: true });
  }
}

/** What npm takes. Of its other forms, a name alone would be the package of a stranger, who may call it Pegboard inside.
 *  @throws Failure */
function wantedOf(plan: string): string {
  if (/\.(?:tgz|tar\.gz)$/.test(plan)) return plan;
  const [, version] = /^(?:pegboard@)?(\w[\w.+-]*)$/.exec(plan) ?? [];
  if (version === undefined)
    throw new Failure(
      `--plan is ${plan}; name a version, a tag such as next, or a tarball that ends with .tgz`,
    );
  return `pegboard@${version}`;
}

function inWords({ version, changes, issues, directory }: Planned): string {
  const count = issues.length === 0 ? 'nothing' : issues.length;
  return [
    changes === '' ? `the changelog of ${version} has nothing after ${VERSION}` : `${changes}\n`,
    `${version} finds in ${directory} what ${VERSION} does not: ${count}`,
    ...issues.map(issueText),
  ].join('\n');
}

/** Unpacks it into the folder `package` below. @returns its version @throws Failure */
async function fetchInto(
  folder: string,
  wanted: string,
  options: { readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal },
): Promise<string> {
  try {
    const args = ['--silent', '--ignore-scripts', '--pack-destination', folder, '--', wanted];
    await run('npm', ['pack', ...args], options);
    const [archive = ''] = await readdir(folder);
    // A name with a colon and no slash would be a machine, to which tar connects.
    await run('tar', ['-xzf', `./${archive}`], { ...options, cwd: folder });
  } catch (error) {
    throw new Failure(`npm cannot fetch ${wanted}: ${messageOf(error).trim()}`);
  }
  const manifest: unknown = JSON.parse(await readFile(join(folder, 'package/package.json'), 'utf8'));
  if (!isObject(manifest) || manifest['name'] !== 'pegboard')
    throw new Failure(`${wanted} is not Pegboard; name its tarball, or pegboard@VERSION`);
  return String(manifest['version']);
}

/** The sections of a changelog above that of a version. */
function changesSince(changelog: string, version: string): string {
  const sections = changelog.split(/^(?=## )/m).slice(1);
  const own = sections.findIndex((section) => section.startsWith(`## ${version} `));
  return sections
    .slice(0, own < 0 ? undefined : own)
    .join('')
    .trim();
}

/** @throws Failure if the check did not come to a report */
async function issuesOf(directory: string, signal: AbortSignal, program?: string): Promise<readonly Issue[]> {
  const { stdout } = await runCheck(directory, 'json', program, signal);
  if (signal.aborted) throw new Failure('interrupted; nothing was written');
  try {
    const { issues } = JSON.parse(stdout) as { readonly issues?: unknown };
    if (Array.isArray(issues)) return issues as readonly Issue[];
  } catch {
    // Said below.
  }
  throw new Failure(
    `the check of ${program === undefined ? VERSION : 'the other version'} failed: ${stdout.trim()}`,
  );
}
