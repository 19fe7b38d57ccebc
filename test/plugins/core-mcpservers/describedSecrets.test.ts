import { expect } from 'chai';
import { bootGateway } from '../../support/gateway.ts';

describe('plugins/core-mcpservers: descriptions of secrets', () => {
  it('are warned of where no reference has that name', async () => {
    const definition = (name: string): string =>
      `type: stdio\ncommand: node\nenv: { KEY: '\${caller:KEY}' }\ncallerSecrets: { ${name}: { description: a token } }\n`;
    const { log } = await bootGateway({
      builtIns: ['store-file', 'core-mcpservers'],
      files: {
        'config.yaml': '',
        'mcpservers/good.yaml': definition('KEY'),
        'mcpservers/near.yaml': definition('KEI'),
      },
    });
    const warnings = log.having('describes no reference', 'warn');
    expect(warnings).to.have.length(1);
    const [{ text, data } = { text: '', data: {} }] = warnings;
    expect(`${text} ${JSON.stringify(data)}`)
      .to.include('callerSecrets.KEI')
      .and.to.include('did you mean KEY?');
  });
});
