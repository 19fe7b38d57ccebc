import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { bootGateway } from '../../support/gateway.ts';

const BUILT_INS = ['store-file', 'core-mcpservers', 'upstream', 'auth-client'];

describe('plugins/auth-client: in a gateway', () => {
  it('runs by default, and is switched off and on while the gateway runs', async () => {
    const gateway = await bootGateway({ builtIns: 'all', aggregator: { port: 0 } });
    const running = (): boolean => gateway.kernel.registry.all('sign-in-finder').length === 1;
    expect(running()).equal(true);
    for (const isOn of [false, true]) {
      writeFileSync(gateway.directory.at('config.yaml'), `plugins: { auth-client: ${isOn} }\n`);
      await gateway.pipeline.reload();
      expect(running()).equal(isOn);
    }
  });

  it('refuses unknown keys with their place', async () => {
    const files = { 'config.yaml': 'plugins:\n  auth-client:\n    config: { wrong: 1 }\n' };
    const refusal = await bootGateway({ builtIns: BUILT_INS, files }).then(
      () => '',
      (error: unknown) => JSON.stringify(error),
    );
    expect(refusal).contain('wrong');
  });
});
