import { readFileSync, readdirSync } from 'node:fs';
import { expect } from 'chai';
import { codeIn, tableBelow } from '../../schemas/markdown.ts';

const ROOT = new URL('../../../../', import.meta.url);

describe('plugins/core-events/README.md', () => {
  it('has a row for every reason that a plugin can raise', () => {
    const raised = ['auth-client', 'core-mcpservers', 'upstream', 'workflow'].flatMap((plugin) =>
      reasonsIn(plugin),
    );
    const readme = readFileSync(new URL('plugins/core-events/README.md', ROOT), 'utf8');
    const rows = tableBelow(readme, 'Reasons').map(([reason = '']) => codeIn(reason)[0]);
    expect([...rows].sort()).to.deep.equal([...new Set(raised)].sort());
  });
});

function reasonsIn(plugin: string): readonly string[] {
  const folder = new URL(`plugins/${plugin}/`, ROOT);
  const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?:vents|News)\.ts$/.test(name))
    .map((name) => readFileSync(new URL(name, folder), 'utf8'));
  const written = /\b(?:MCPServer|Workflow)[A-Z][A-Za-z]+(?=: ')|(?<=reason: ')MCPServer[A-Z][A-Za-z]+/g;
  return texts.flatMap((text) => text.match(written) ?? []);
}
