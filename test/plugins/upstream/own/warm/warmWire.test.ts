import { expect } from 'chai';
import { ANYONE, GatewayError } from '../../../../../kernel/index.ts';
import { readDefinition } from '../../../../../plugins/upstream/definition.ts';
import type { Dialing } from '../../../../../plugins/upstream/connection/dialer.ts';
import { OwnConnections } from '../../../../../plugins/upstream/own/ownConnections.ts';
import type { ServerCalls } from '../../../../../plugins/upstream/connection/serverCalls.ts';
import { WarmWire } from '../../../../../plugins/upstream/own/warm/warmWire.ts';
import type { Wire, WireListener } from '../../../../../plugins/upstream/client/wire/wire.ts';
import { captureLog } from '../../../../support/log.ts';

const DEFINITION = readDefinition({ type: 'stdio', command: ['x'], timeout: 1 });
const GONE = new GatewayError('UPSTREAM_CLOSED', 'its process exited with code 1');

/** The wires that were dialed, each with what happened to it. */
class Dialed {
  readonly wires: { readonly did: string[]; readonly listener: WireListener }[] = [];
  readonly lost: string[] = [];
  readonly noise: string[] = [];
  fault: GatewayError | undefined;

  warm(): WarmWire {
    return new WarmWire(this.dialer(), DEFINITION, ({ message }) => this.lost.push(message));
  }

  dialer(): Dialing {
    const dial: Dialing['dial'] = (_, listener) => {
      const did: string[] = [];
      this.wires.push({ did, listener });
      return Promise.resolve(this.#wire(did));
    };
    return { dial, output: { noise: (text: string) => this.noise.push(text) } } as unknown as Dialing;
  }

  #wire(did: string[]): Wire {
    return {
      open: () => {
        did.push('open');
        return this.fault === undefined ? Promise.resolve() : Promise.reject(this.fault);
      },
      close: () => {
        did.push('close');
        return Promise.resolve();
      },
    } as Wire;
  }
}

/** The listener of a connection, and what it has received. */
function listening(): { readonly heard: string[]; readonly listener: WireListener } {
  const heard: string[] = [];
  const listener = {
    message: (text: string) => {
      heard.push(text);
      return 0;
    },
    closed: ({ message }: GatewayError) => heard.push(message),
  };
  return { heard, listener: listener as unknown as WireListener };
}

describe('upstream: a process that is started ahead', () => {
  let dialed: Dialed;
  beforeEach(() => {
    dialed = new Dialed();
  });

  it('is opened once, and used by the first dial only', async () => {
    const warm = dialed.warm();
    const { heard, listener } = listening();
    const wire = await warm.dialer.dial(DEFINITION, listener);
    await wire.open();
    expect(dialed.wires.map(({ did }) => did)).to.deep.equal([['open']]);
    expect(dialed.wires[0]?.listener.message('hello')).to.equal(0);
    dialed.wires[0]?.listener.closed(GONE);
    expect(heard).to.deep.equal(['hello', GONE.message]);
    await (await warm.dialer.dial(DEFINITION, listener)).open();
    expect(dialed.wires.map(({ did }) => did)).to.deep.equal([['open'], ['open']]);
    expect(dialed.lost).to.deep.equal([]);
  });

  it('is ended when it is discarded, also while it opens, unless it is used', async () => {
    const unused = dialed.warm();
    await Promise.all([unused.discard(), unused.discard()]);
    expect(dialed.wires[0]?.did).to.deep.equal(['open', 'close']);
    const used = dialed.warm();
    await used.dialer.dial(DEFINITION, listening().listener);
    await used.discard();
    expect(dialed.wires[1]?.did).to.deep.equal(['open']);
  });

  it('is ended with its session, if the connection of that has not dialed it', async () => {
    const connection = { start: () => Promise.resolve(), stop: () => Promise.resolve() } as ServerCalls;
    const own = new OwnConnections(
      { log: captureLog(), config: () => ({ backoffFirstMs: 1, backoffMaxMs: 1 }) },
      {
        name: 's',
        definition: { ...DEFINITION, instances: 'perSession', warmInstances: 1 },
        output: { read: () => ({ lines: [], next: '' }) },
        dialerFor: () => dialed.dialer(),
        isWanted: true,
        callsFor: () => connection,
        connectionWith: () => connection,
      },
    );
    own.begin();
    own.callsFor({ ...ANYONE, sessionId: 'one' }, undefined);
    own.release('one');
    await own.end();
    expect(dialed.wires.map(({ did }) => did)).to.deep.equal([['open', 'close']]);
  });

  it('is reported when it cannot be started, or ends', async () => {
    dialed.warm();
    await Promise.resolve();
    dialed.wires[0]?.listener.closed(GONE);
    expect(dialed.lost).to.deep.equal([GONE.message]);
    dialed.fault = new GatewayError('UPSTREAM_UNREACHABLE', 'command x cannot be run');
    await dialed.warm().discard();
    expect(dialed.lost).to.deep.equal([GONE.message, dialed.fault.message]);
    expect(dialed.wires[1]?.did).to.deep.equal(['open']);
  });

  it('is replaced by a process of its own if it has ended before it is dialed', async () => {
    const warm = dialed.warm();
    dialed.wires[0]?.listener.closed(GONE);
    await (await warm.dialer.dial(DEFINITION, listening().listener)).open();
    expect(dialed.wires.map(({ did }) => did)).to.deep.equal([['open'], ['open']]);
  });

  it('fails the attempt of its connection if it ends between', async () => {
    const wire = await dialed.warm().dialer.dial(DEFINITION, listening().listener);
    dialed.wires[0]?.listener.closed(GONE);
    const failure: unknown = await wire.open().catch((error: unknown) => error);
    expect(failure).to.equal(GONE);
  });

  it('has its early words logged', () => {
    dialed.warm();
    expect(dialed.wires[0]?.listener.message('ready!')).to.equal(1);
    expect(dialed.noise).to.deep.equal(['ready!']);
  });
});
