import { expect } from 'chai';
import { issueText } from '../../../kernel/lib/placeText.ts';
import { composeGateway } from '../../support/gateway.ts';
import { review } from '../../support/reviewed.ts';

async function found(config: string): Promise<readonly string[]> {
  const { pipeline, directory } = await composeGateway({
    builtIns: ['store-file', 'local-token'],
    files: { 'config.yaml': config },
  });
  const issues = await pipeline.check((configured) => review(configured));
  return issues.map((issue) => issueText(issue).replaceAll(`${directory.path}/`, ''));
}

describe('A plugin that keeps callers out and is switched off', () => {
  it('is named where settings would switch it on', async () => {
    const off = 'plugins:\n  local-token: false\naggregator: { localToken: true }\n';
    expect(await found(off)).deep.equal([
      'config.yaml:2:3: warning: plugin local-token: plugins.local-token is false, so that its settings keep no caller out; remove the one or the other (CONFIG_INVALID)',
    ]);
  });

  it('is not named where nothing would, or while it runs', async () => {
    expect(await found('plugins: { local-token: false }\n')).deep.equal([]);
    expect(await found('aggregator: { localToken: true }\n')).deep.equal([]);
  });
});
