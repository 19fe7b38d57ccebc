import { expect } from 'chai';
import { readDefinition } from '../../../../plugins/upstream/definition.ts';
import type { UpstreamContext } from '../../../../plugins/upstream/connection/context.ts';
import { Dialer } from '../../../../plugins/upstream/connection/dialer.ts';
import type { OwnCredential } from '../../../../plugins/upstream/connection/dialer.ts';
import type { WireListener } from '../../../../plugins/upstream/client/wire/wire.ts';
import { heldTimers } from '../../../support/heldTimers.ts';
import { captureLog } from '../../../support/log.ts';
import { refusalOf } from '../../../support/kernel.ts';

describe('upstream: a connection with a credential', () => {
  it('waits for the credential no longer than for the server, and says so', async () => {
    const timers = heldTimers();
    const credential = { prepare: () => new Promise<void>(() => undefined) } as OwnCredential;
    const definition = readDefinition({ type: 'streamable-http', url: 'http://127.0.0.1:1', timeout: 7 });
    const refused = refusalOf(() =>
      new Dialer({} as UpstreamContext, 's', captureLog(), credential).dial(definition, {} as WireListener),
    );
    timers.pass(7_000);
    expect(await refused).to.include({
      code: 'UPSTREAM_TIMEOUT',
      message: 'reading or refreshing the credential of the caller took more than 7000 ms',
    });
  });
});
