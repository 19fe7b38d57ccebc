import { existsSync } from 'node:fs';
import { isError, issueText } from 'pegboard';
import type { Command } from 'pegboard';
import { graphText } from '../graph/graphText.ts';
import { pluginFacts } from '../graph/pluginFacts.ts';
import { asText } from '../output/print.ts';
import { shielded } from '../../kit/text/shownText.ts';

export const plugins: Command = {
  name: 'plugins',
  summary: 'which plugins run, in which order they start, and why the others are off',
  options: [
    {
      flags: '-o, --output <format>',
      description: 'form of the output',
      choices: ['text', 'wide', 'json', 'yaml'],
      default: 'text',
    },
  ],
  examples: ['pegboard plugins', 'pegboard plugins --config-path ./gateway -o json'],
  run: async (invocation) => {
    const { directory, env, options } = invocation;
    const terminal = shielded(invocation.terminal);
    if (!existsSync(directory)) {
      terminal.err(`pegboard: ${directory} does not exist; correct --config-path, or create it\n`);
      return 1;
    }
    const loaded = await invocation.plugins();
    const facts = pluginFacts(loaded, env);
    const { issues } = loaded;
    const output = options['output'];
    if (output === 'json' || output === 'yaml')
      terminal.out(asText({ directory, plugins: facts, issues }, output));
    else {
      terminal.out(graphText(facts, terminal, output === 'wide'));
      for (const issue of issues) terminal.err(`${issueText(issue)}\n`);
    }
    return issues.some(isError) || facts.some(({ state }) => state === 'blocked') ? 1 : 0;
  },
};
