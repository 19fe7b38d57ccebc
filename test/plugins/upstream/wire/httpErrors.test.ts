import { expect } from 'chai';
import { HttpFixture } from '../httpFixture.ts';
import { Rig } from '../support.ts';

describe('upstream: errors of HTTP', () => {
  let rig: Rig;
  let server: HttpFixture;
  beforeEach(async () => {
    rig = new Rig();
    server = new HttpFixture();
    await server.listen();
  });
  afterEach(async () => {
    await rig.stop();
    await server.kill();
  });

  for (const type of ['streamable-http', 'sse'] as const) {
    for (const quoted of ['Bearer very-secret-token', 'very-secret-token']) {
      it(`hides "${quoted}" in what a ${type} server answers`, async () => {
        const error = { message: `${'x'.repeat(190)} ${quoted} is unknown` };
        server.instead = { status: 403, body: JSON.stringify({ error }) };
        await rig.configure();
        const headers = { authorization: 'Bearer very-secret-token' };
        await rig.define({ s: { type, url: server.url, timeout: 5, headers } });
        await rig.reaches('s', 'failed');
        expect(rig.status('s').error).to.contain('HTTP 403').and.to.contain('x [redacte');
        expect(JSON.stringify([rig.status('s'), rig.events, rig.lines])).to.not.contain('very-sec');
      });
    }
  }
});
