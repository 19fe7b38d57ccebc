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

async function found(config: string, definition = '', part = 'all rights'): Promise<readonly string[]> {
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
  return texts.filter((text) => text.includes(part));
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

  it('warns of grants that the limits of the operator lower, an unlimited one too', async () => {
    const limits = 'plugins: { isolate: { config: { memoryMb: 500, openFiles: 100 } } }\n';
    const grants = 'isolate: container\nimage: a@sha256:' + 'a'.repeat(64) + '\ngrants: ';
    const fix = 'lower it, or have the operator raise that (CONFIG_REFERENCE)';
    const limited = (key: string, most: number): string =>
      `warning: MCPServer here: grants.${key} asks for more than ${most}, to which ${key} of the plugin isolate limits it; ${fix}`;
    const texts = await found(
      limits,
      `${grants}{ memoryMb: 0, processes: 9000, openFiles: 20 }\n`,
      'asks for',
    );
    expect(texts.map((text) => text.replace(/^\S+ /, ''))).deep.equal([
      limited('memoryMb', 500),
      limited('processes', 256),
    ]);
    expect(await found(limits, `${grants}{ memoryMb: 400 }\n`, 'asks for')).deep.equal([]);
    expect(await found(limits, 'isolate: none\ngrants: { memoryMb: 0 }\n', 'asks for')).deep.equal([]);
  });

  it('is silent for confined servers, and on the machine of one user', async () => {
    expect(await found('')).deep.equal([]);
    expect(await found(wide, 'isolate: sandbox\n')).deep.equal([]);
    expect(await found(`${wide}plugins: { upstream: { config: { isolate: sandbox } } }\n`)).deep.equal([]);
  });
});
