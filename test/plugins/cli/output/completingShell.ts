import { chmodSync } from 'node:fs';
import { told } from '../../upstream/support.ts';
import { makeDirectory } from '../../../support/directory.ts';
import type { Directory } from '../../../support/directory.ts';
import { commandOnTerminal } from '../../../support/onTerminal.ts';
import { serveHere } from '../../../support/serveHere.ts';
import { typeVerb } from '../../../support/typeVerb.ts';
import { until } from '../../../support/until.ts';

/** How each shell is started without the user's own settings, and what loads completion. */
export const SHELLS = {
  bash: { args: ['--norc', '--noprofile', '-i'], load: 'source ./script' },
  zsh: { args: ['-f', '-i'], load: 'autoload -U compinit; compinit -u -D; source ./script' },
  fish: { args: ['--no-config', '-i'], load: 'source ./script' },
};

interface Typed {
  /** What `pegboard completion` prints for the shell. */
  readonly script: string;
  /** A shell script that is run as `pegboard`. */
  readonly program: string;
  /** Tools that the server `evil` of the gateway has. */
  readonly tools: readonly object[];
  readonly files?: Readonly<Record<string, string>>;
}

/** A shell on a terminal that has loaded completion, in a home of its own. */
export async function completingShell(
  shell: keyof typeof SHELLS,
  { script, program, tools, files = {} }: Typed,
): Promise<ReturnType<typeof commandOnTerminal> & { readonly home: Directory }> {
  const home = makeDirectory({ script, 'bin/pegboard': `#!/bin/sh\n${program}\n`, ...files });
  chmodSync(home.at('bin/pegboard'), 0o755);
  const evil = JSON.stringify(told({ 'tools/list': { tools } }));
  const url = `${(await serveHere(makeDirectory({ 'mcpservers/evil.yaml': evil }))).url}/mcp`;
  const listed = () => typeVerb(['list', 'tools', '-o', 'name', '--endpoint', url]);
  await until(async () => (await listed()).stdout.includes('x_evil_'));
  const env = {
    ...(process.env as Record<string, string>),
    HOME: home.path,
    XDG_CACHE_HOME: home.at('cache'),
    PEGBOARD_ENDPOINT: url,
    TERM: 'dumb',
    PATH: `${home.at('bin')}:${process.env['PATH'] ?? ''}`,
  };
  const { args, load } = SHELLS[shell];
  const terminal = commandOnTerminal([shell, ...args], { cwd: home.path, env });
  terminal.type(`${load}; echo loa''ded\r`);
  await terminal.shows('loaded');
  return { ...terminal, home };
}
