import { expect } from 'chai';
import { codeIn, tableBelow } from '../../schemas/markdown.ts';
import { sourcesBelow, textOf } from '../../support/sources.ts';

describe('plugins/core-events/README.md', () => {
  it('has a row for every reason that a plugin can raise', () => {
    const raised = ['auth-client', 'core-mcpservers', 'upstream', 'workflow'].flatMap((plugin) =>
      reasonsIn(plugin),
    );
    const readme = textOf('plugins/core-events/README.md');
    const rows = tableBelow(readme, 'Reasons').map(([reason = '']) => codeIn(reason)[0]);
    expect([...rows].sort()).to.deep.equal([...new Set(raised)].sort());
  });
});

function reasonsIn(plugin: string): readonly string[] {
  const texts = sourcesBelow(`plugins/${plugin}`)
    .filter((path) => /(?:vents|News)\.ts$/.test(path))
    .map(textOf);
  const written = /\b(?:MCPServer|Workflow)[A-Z][A-Za-z]+(?=: ')|(?<=reason: ')MCPServer[A-Z][A-Za-z]+/g;
  return texts.flatMap((text) => text.match(written) ?? []);
}
