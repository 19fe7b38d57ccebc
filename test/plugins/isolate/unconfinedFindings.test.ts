import { expect } from 'chai';
import { issueText } from '../../../kernel/lib/placeText.ts';
import { composeGateway } from '../../support/gateway.ts';
import { review } from '../../support/reviewed.ts';

const FINDING =
  'it runs with all rights of Pegboard, and other people call it; set isolate: sandbox with what it needs in grants (CONFIG_REFERENCE)';

const SIGN_IN = `
aggregator:
  oauth:
    server:
      enabled: true
      baseUrl: https://gateway.example.com
      idp: { issuerUrl: https://login.example.com, clientId: pegboard, clientSecretFile: secret.txt }
`;

async function found(config: string, definition = ''): Promise<readonly string[]> {
  const { pipeline, directory } = await composeGateway({
    builtIns: 'all',
    files: {
      'config.yaml': config,
      'secret.txt': 'S\n',
      'mcpservers/here.yaml': `type: stdio\ncommand: [node, x.js]\n${definition}`,
      'mcpservers/there.yaml': 'type: streamable-http\nurl: https://mcp.example/mcp\n',
    },
  });
  const issues = await pipeline.check((configured) => review(configured));
  const texts = issues.map((issue) => issueText(issue).replaceAll(`${directory.path}/`, ''));
  return texts.filter((text) => text.includes('all rights'));
}

describe('isolate: pegboard check', () => {
  const wide = 'aggregator: { host: 0.0.0.0 }\n';

  it('warns of stdio servers with all rights where others than the user of the machine call them', async () => {
    expect(await found(wide)).deep.equal([`mcpservers/here.yaml:1:1: warning: MCPServer here: ${FINDING}`]);
    expect(await found(wide, 'isolate: none\n')).deep.equal([
      `mcpservers/here.yaml:3:1: warning: MCPServer here: ${FINDING}`,
    ]);
    expect(await found(SIGN_IN)).lengthOf(1);
  });

  it('is silent for confined servers, and on the machine of one user', async () => {
    expect(await found('')).deep.equal([]);
    expect(await found(wide, 'isolate: sandbox\n')).deep.equal([]);
    expect(await found(`${wide}plugins: { upstream: { config: { isolate: sandbox } } }\n`)).deep.equal([]);
  });
});
