import { join, resolve } from 'node:path';
import { Command, exitCodeFor } from 'pegboard';
import type { Configured } from 'pegboard';
import { shielded } from '../kit/text/shownText.ts';
import { checkJson, checkText } from './checkReport.ts';
import { review } from './review.ts';

interface Flags {
  readonly output: 'text' | 'json';
  readonly strict?: true;
  readonly online?: true;
  readonly statePath?: string;
}

export const check: Command = {
  name: 'check',
  summary: 'check config.yaml and all definitions, start nothing',
  options: [
    {
      flags: '--output <format>',
      description: 'form of the report',
      choices: ['text', 'json'],
      default: 'text',
    },
    { flags: '--strict', description: 'warnings count as errors' },
    { flags: '--online', description: 'connect to the identity provider too' },
  ],
  examples: ['pegboard check', 'pegboard check --strict --output json'],
  readsConfiguration: true,
  run: async (invocation) => {
    const { directory, options } = invocation;
    const terminal = shielded(invocation.terminal);
    const { output, strict, online: isOnline = false, statePath } = options as unknown as Flags;
    // Stays empty if config.yaml is broken, because then it is not known what would run.
    let { wanted, off }: Pick<Configured, 'wanted' | 'off'> = { wanted: [], off: [] };
    const { issues, definitions } = await invocation.check((configured) => {
      ({ wanted, off } = configured);
      return review(configured, { isOnline, statePath: resolve(statePath ?? join(directory, 'state')) });
    });
    const report = {
      directory,
      issues,
      plugins: wanted.map(({ plugin }) => plugin.name),
      off: off
        .filter(({ provides = [] }) => provides.every(({ id }) => id !== Command.id))
        .map(({ name }) => name),
      definitions,
    };
    terminal.out(output === 'json' ? checkJson(report) : checkText(report));
    return exitCodeFor(strict === true ? issues.map((one) => ({ ...one, severity: 'error' })) : issues);
  },
};
