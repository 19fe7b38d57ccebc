import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { HttpFixture } from './httpFixture.ts';
import type { Message } from './httpFixture.ts';
import { Rig, until } from './support.ts';

/** A stdio server that answers every call with this line of JavaScript: `id` is that of the call. */
function stdio(onCall: string, prefix = ''): string[] {
  const script = `
    const put = (text) => process.stdout.write(${JSON.stringify(prefix)} + text + '\\n');
    const say = (message) => put(JSON.stringify({ jsonrpc: '2.0', ...message }));
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      if (method === 'initialize') say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'n', version: '1' } } });
      else if (method === 'tools/list') say({ id, result: { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] } });
      else if (method === 'tools/call') { ${onCall} }
      else if (id !== undefined) say({ id, result: {} });
    });`;
  return [process.execPath, '-e', script];
}

describe('upstream: what a server says without naming a request', () => {
  const server = new HttpFixture();
  let rig: Rig;
  beforeEach(async () => {
    rig = new Rig();
    server.tools = ['echo'];
    server.intercept = undefined;
    await server.listen();
    await rig.configure({ backoffFirstMs: 10, deadlineTickMs: 10 });
  });
  afterEach(async () => {
    await rig.stop();
    server.intercept = undefined;
    await server.kill();
  });
  const callOf = async (answer: (message: Message, res: ServerResponse) => void): Promise<string> => {
    await rig.define({ s: { type: 'streamable-http', url: server.url, timeout: 5 } });
    await rig.reaches('s', 'connected');
    server.intercept = (message, res) => {
      if (message.method !== 'tools/call') return false;
      answer(message, res);
      return true;
    };
    return (await rig.refusal('x_s_echo')).message;
  };

  const QUOTA = { code: -32000, message: 'quota of the day is used up' };
  for (const id of [null, 'server-error', undefined, ''] as const)
    it(`belongs to the request of its POST if the id of an error is ${JSON.stringify(id)}`, async () => {
      const body = JSON.stringify({ jsonrpc: '2.0', id, error: QUOTA });
      const asJson = await callOf((_, res) => res.end(body));
      expect(asJson).to.equal('tool echo of server s failed: quota of the day is used up');
      const asStream = await callOf((_, res) =>
        res.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${body}\n\n`),
      );
      expect(asStream).to.equal(asJson);
    });

  it('is quoted if it is an error of text alone', async () => {
    const body = (id: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, error: 'it broke badly' });
    expect(await callOf(({ id }, res) => res.end(body(id)))).to.match(/ failed: it broke badly$/);
    expect(await callOf((_, res) => res.end(body(null)))).to.match(/ failed: it broke badly$/);
  });

  it('is quoted if a body of status 200 is not a message', async () => {
    const output = { Output: { reason: 'tenant is suspended' } };
    expect(await callOf((_, res) => res.end(JSON.stringify(output)))).to.contain('"tenant is suspended"');
    const page = '<!doctype html><html><head><title>Sign in to Example</title></head><body>…</body></html>';
    const told = await callOf((_, res) => res.writeHead(200, { 'content-type': 'text/html' }).end(page));
    expect(told).to.contain('Sign in to Example').and.to.not.contain('<');
  });

  it('does not take the server for lost when a ping is answered in such a way', async () => {
    for (const body of [
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no ping here"}}',
      'null',
      '',
    ])
      await callOf((_, res) => res.writeHead(body === '' ? 202 : 200).end(body));
    server.intercept = ({ method }, res) => {
      if (method !== 'ping') return false;
      res.writeHead(202).end();
      return true;
    };
    await rig.configure({ pingIntervalMs: 10 });
    const before = server.count('ping');
    await rig.service('s').restart?.();
    await until('some pings', () => server.count('ping') >= before + 3);
    expect(rig.told('server.disconnected').filter(({ reason }) => reason !== 'restarted')).deep.equal([]);
  });

  it('belongs to the only request that waits, over stdio', async () => {
    const command = stdio(`say({ id: null, error: { code: -32700, message: 'Parse error near byte 7' } })`);
    await rig.define({ s: { type: 'stdio', autoStart: true, command, timeout: 10 } });
    await rig.hasTool('x_s_echo');
    expect((await rig.refusal('x_s_echo')).message).to.match(/ failed: Parse error near byte 7$/);
  });

  it('is quoted when one of several requests times out, over stdio', async () => {
    const command = stdio(
      `if (params.arguments.last) say({ id: 'server-error', error: { code: 1, message: 'disk full' } })`,
    );
    await rig.define({ s: { type: 'stdio', autoStart: true, command, timeout: 10, callTimeout: 1 } });
    await rig.hasTool('x_s_echo');
    const refusals = await Promise.all([rig.refusal('x_s_echo'), rig.refusal('x_s_echo', { last: true })]);
    for (const { code, message } of refusals) {
      expect(code).to.equal('UPSTREAM_TIMEOUT');
      expect(message).to.contain('(it sent an error that names no request: disk full)');
    }
    expect(JSON.stringify(rig.lines)).to.contain('disk full');
  });

  it('may begin with a byte order mark, in a body, a stream or a line', async () => {
    const text = { content: [{ type: 'text', text: 'marked' }] };
    const intercept =
      (type: string, before: string) =>
      ({ id, method }: Message, res: ServerResponse): boolean => {
        if (method !== 'tools/call') return false;
        const body = JSON.stringify({ jsonrpc: '2.0', id, result: text });
        res.writeHead(200, { 'content-type': type }).end(`\ufeff${before}${body}\n\n`);
        return true;
      };
    await rig.define({
      s: { type: 'streamable-http', url: server.url, timeout: 5 },
      pipe: {
        type: 'stdio',
        autoStart: true,
        timeout: 10,
        command: stdio(`say({ id, result: ${JSON.stringify(text)} })`, '\ufeff'),
      },
    });
    await rig.hasTool('x_s_echo');
    server.intercept = intercept('application/json', '');
    expect(await rig.text('x_s_echo')).to.equal('marked');
    server.intercept = intercept('text/event-stream', 'data: ');
    expect(await rig.text('x_s_echo')).to.equal('marked');
    await rig.hasTool('x_pipe_echo');
    expect(await rig.text('x_pipe_echo')).to.equal('marked');
  });
});
