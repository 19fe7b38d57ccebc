import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { listenLocally } from '../../../../conformance/listen.ts';
import type { Listening } from '../../../../conformance/listen.ts';
import { Rig } from '../../support.ts';

const REVISION = '2026-07-28';

describe('upstream: server/discover', () => {
  let rig: Rig;
  let server: Listening | undefined;
  let methods: string[];
  beforeEach(() => {
    rig = new Rig();
    methods = [];
  });
  afterEach(async () => {
    await rig.stop();
    await server?.close();
  });

  /** A server without tools. @param refusals number of requests that it refuses, with the revisions that it names */
  async function refusing(refusals: number, supported: readonly string[] = [REVISION]): Promise<void> {
    const data = { supported, requested: REVISION };
    const refusal = { error: { code: -32022, message: 'Unsupported protocol version', data } };
    const result = { resultType: 'complete', supportedVersions: supported, capabilities: {}, tools: [] };
    const serve = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
      if (req.method !== 'POST') {
        res.writeHead(405).end();
        return;
      }
      const { id, method } = JSON.parse(await text(req)) as { readonly id: number; readonly method: string };
      methods.push(method);
      const isRefused = methods.length <= refusals;
      const body = { jsonrpc: '2.0', id, ...(isRefused ? refusal : { result }) };
      res.writeHead(isRefused ? 400 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    server = await listenLocally(createServer((req, res) => void serve(req, res)));
    await rig.configure();
    await rig.define({ s: { type: 'streamable-http', url: server.url, timeout: 5 } });
  }

  it('asks again when the server refuses the revision, but says that it supports it', async () => {
    await refusing(1);
    await rig.reaches('s', 'connected');
    expect(rig.status('s').metadata).to.include({ protocolVersion: REVISION });
    expect(methods).to.deep.equal(['server/discover', 'server/discover', 'tools/list']);
  });

  it('asks no third time, but tries to connect again later', async () => {
    await refusing(Infinity);
    await rig.reaches('s', 'failed');
    expect(rig.status('s').error).to.contain('Unsupported protocol version').and.not.contain('supported are');
    expect(methods).to.deep.equal(['server/discover', 'server/discover', 'initialize']);
    expect(rig.status('s').metadata).to.have.property('nextRetryAfter');
  });

  it('does not ask again when the server supports other revisions only', async () => {
    await refusing(Infinity, ['2027-01-01']);
    await rig.reaches('s', 'failed');
    expect(rig.status('s').error).to.contain('the server speaks MCP revision 2027-01-01; supported are');
    expect(methods).to.deep.equal(['server/discover', 'initialize']);
    expect(rig.status('s').metadata).not.to.have.property('nextRetryAfter');
  });
});
