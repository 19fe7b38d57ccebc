import { expect } from 'chai';
import { nodeFinding } from '../../../../plugins/cli/doctor/nodeFinding.ts';

describe('nodeFinding', () => {
  it('refuses a version of Node that is older than package.json allows', () => {
    for (const version of ['20.19.0', '20.20.1', '22.0.0'])
      expect(nodeFinding(version)).deep.equal({ level: 'ok', subject: 'node', message: version });
    for (const version of ['20.18.9', '18.20.0', '9.30.0']) {
      expect(nodeFinding(version)).include({ level: 'error', fix: 'nvm install --lts' });
      expect(nodeFinding(version).message).contain(`${version} is older than 20.19.0`);
    }
  });
});
