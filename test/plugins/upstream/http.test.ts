import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { Cancellation } from '../../../kernel/index.ts';
import type { JsonObject, Progress } from '../../../kernel/index.ts';
import { freePort } from '../../support/everything.ts';
import { HttpFixture } from './httpFixture.ts';
import { EVERYTHING, Rig, until } from './support.ts';

describe('upstream: remote servers', () => {
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

  const remote = (more: JsonObject = {}): JsonObject => ({
    type: 'streamable-http',
    url: server.url,
    timeout: 5,
    ...more,
  });
  const connected = async (config: JsonObject = {}, more: JsonObject = {}): Promise<void> => {
    await rig.configure(config);
    await rig.define({ s: remote(more) });
    await rig.hasTool('x_s_echo');
  };

  for (const answersAs of ['json', 'stream', 'resumed'] as const) {
    it(`accepts answers that arrive as ${answersAs}`, async () => {
      server.answersAs = answersAs;
      await connected();
      expect(await rig.text('x_s_echo', { message: 'ü' })).to.equal('echo ü');
    });
  }

  it('needs two connections for its lists and its stream', async () => {
    await connected();
    await until('the stream', () => server.streams === 1);
    expect(server.sockets).to.equal(2);
  });

  it('opens the stream of a server that never acknowledges what needs no answer', async () => {
    server.acknowledges = false;
    await connected();
    await until('the stream', () => server.streams === 1);
  });

  it('resumes the stream of a call as long as each attempt brings something new', async () => {
    server.answersAs = 'resumed';
    server.emptyResumes = 3;
    await connected({ maxResumes: 1, resumeMs: 1, minResumeMs: 1 });
    expect(await rig.text('x_s_echo', { message: 'ü' })).to.equal('echo ü');
  });

  it('resumes a stream after an id of any text, and continues without one that a header cannot carry', async () => {
    await connected({ resumeMs: 1, minResumeMs: 1 });
    const ids = ['事件-1', 'é\u0080\tx', `${'x'.repeat(80_000)}\u001b`, '\u0007'];
    for (const [at, id] of ids.entries()) {
      await until('a stream', () => server.lastIds.length === at + 1 && server.streams === 1);
      server.cut(`id: ${id}\ndata:\n\n`);
    }
    await until('the last stream', () => server.lastIds.length === ids.length + 1);
    const [first, second] = ids;
    expect(server.lastIds).to.deep.equal([undefined, first, second, second, second]);
    expect(await rig.text('x_s_echo')).to.equal('echo ');
    expect([server.count('initialize'), rig.told('server.disconnected')]).to.deep.equal([1, []]);
  });

  it('does not resend a call whose stream cannot be resumed', async () => {
    server.answersAs = 'resumed';
    await connected({ resumeMs: 1, minResumeMs: 1 });
    server.resumeStatus = 404;
    const error = await rig.refusal('x_s_echo');
    expect(error.message).to.contain('HTTP 404').and.to.contain('may have run');
    expect([server.count('tools/call'), server.count('initialize')]).to.deep.equal([1, 1]);
  });

  it('fills references in its url, and hides what came from them', async () => {
    process.env['UPSTREAM_TEST_KEY'] = 'planted-in-a-path';
    const { origin } = new URL(server.url);
    await connected({}, { url: `${origin}/\${env:UPSTREAM_TEST_KEY}/mcp` });
    server.instead = { status: 500, body: 'no route for /planted-in-a-path/mcp' };
    const { message } = await rig.refusal('x_s_echo');
    delete process.env['UPSTREAM_TEST_KEY'];
    expect(message).to.contain('no route for /[redacted]/mcp');
    expect(new Set(server.paths.map((path) => path.split(' ')[1]))).to.deep.equal(
      new Set(['/planted-in-a-path/mcp']),
    );
    await rig.define({ s: remote({ url: '${env:UPSTREAM_TEST_KEY}/mcp' }) });
    await rig.reaches('s', 'failed');
    expect(rig.status('s').error).to.contain(
      'url names the environment variable UPSTREAM_TEST_KEY, which is not set',
    );
  });

  it('sends session, revision and its own headers with every request after initialize', async () => {
    process.env['UPSTREAM_TEST_KEY'] = 'k1';
    const headers = { 'X-Key': '${env:UPSTREAM_TEST_KEY:-k0}', 'X-Region': '${env:UPSTREAM_NOT_SET:-eu}' };
    const url = server.url.replace('/mcp', '/${env:UPSTREAM_NOT_SET:-mcp}');
    await connected({}, { url, headers, proxy: '${env:UPSTREAM_NOT_SET:-none}' });
    delete process.env['UPSTREAM_TEST_KEY'];
    await rig.text('x_s_echo');
    const [first] = server.headers;
    const last = server.headers.at(-1);
    expect(first).to.include({
      'x-key': 'k1',
      'x-region': 'eu',
      accept: 'application/json, text/event-stream',
    });
    expect(first).to.not.have.property('mcp-session-id');
    expect(last).to.include({
      'x-key': 'k1',
      'mcp-session-id': 'session-1',
      'mcp-protocol-version': '2025-11-25',
    });
    expect(JSON.stringify([rig.status('s'), rig.events, rig.lines])).to.not.contain('k1');
  });

  for (const [status, body] of [
    [404, 'not found'],
    [400, 'Bad Request: No valid session ID provided'],
    [400, 'Bad Request: Server not initialized'],
    [410, 'Session expired'],
    [503, 'unknown session'],
  ] as const) {
    it(`initializes again, once, when the session is lost with ${status} (${body}), and answers every call`, async () => {
      await connected();
      server.loseSessions(status, body);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => rig.text('x_s_echo', { message: `${n}` })),
      );
      expect(answers).to.deep.equal(Array.from({ length: 20 }, (_, n) => `echo ${n}`));
      expect(server.count('initialize')).to.equal(2);
    });
  }

  it('keeps a session whose lists are refused with 404, and calls its tools', async () => {
    server.refusesLists = true;
    await rig.configure({ backoffFirstMs: 1, backoffMaxMs: 20 });
    await rig.define({ s: remote() });
    await rig.reaches('s', 'connected');
    await until('further attempts to list', () => server.count('prompts/list') >= 4);
    expect(await rig.text('x_s_echo')).to.equal('echo ');
    expect(server.count('initialize')).to.equal(1);
  });

  it('does not treat a 400 about something else as a lost session', async () => {
    await connected();
    server.loseSessions(400, 'arguments are wrong');
    const error = await rig.refusal('x_s_echo');
    expect(error.message).to.contain('HTTP 400').and.to.contain('arguments are wrong');
    expect(server.count('initialize')).to.equal(1);
  });

  it('reports a 404 of a server that never gave a session as it is', async () => {
    server.hasSessions = false;
    await connected();
    server.instead = { status: 404, body: 'gone' };
    expect((await rig.refusal('x_s_echo')).message).to.contain('404');
    server.instead = undefined;
    expect(await rig.text('x_s_echo')).to.equal('echo ');
    expect(server.count('initialize')).to.equal(1);
  });

  it('waits longer and longer for a server that loses each session before it has answered anything', async () => {
    await rig.configure({ backoffFirstMs: 40, pingIntervalMs: 1 });
    await rig.define({ s: remote() });
    await rig.reaches('s', 'connected');
    server.losesAtOnce = true;
    const since = performance.now();
    await until('a seventh session', () => server.count('initialize') >= 7);
    // Half of 40, 80, 160 and 320 ms: at random a wait is up to twice that.
    expect(performance.now() - since).above(300);
    server.losesAtOnce = false;
    await rig.reaches('s', 'connected');
    expect(await rig.text('x_s_echo')).to.equal('echo ');
  });

  it('stops retrying a server that loses every session at once', async () => {
    await connected();
    server.instead = { status: 404, body: 'gone' };
    expect((await rig.refusal('x_s_echo')).message).to.contain('404');
  });

  it('does not follow a redirect, and names its target', async () => {
    const other = new HttpFixture();
    await other.listen();
    server.instead = { status: 307, headers: { location: `${other.url}?token=hush` } };
    await rig.configure();
    await rig.define({ s: remote({ headers: { authorization: 'Bearer secret' } }) });
    await rig.reaches('s', 'failed');
    expect(rig.status('s').error).to.contain(other.url).and.to.not.contain('hush');
    expect(other.headers).to.have.length(0);
    await other.kill();
  });

  it('posts to no origin other than its own when a server of the older transport asks for it', async () => {
    const asking = createHttpServer((_, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(`event: endpoint\ndata: ${server.url}?token=hush\n\n`);
    });
    await new Promise<void>((resolve) => asking.listen(0, '127.0.0.1', resolve));
    const { port } = asking.address() as AddressInfo;
    await rig.configure();
    const headers = { authorization: 'Bearer secret' };
    await rig.define({ s: { type: 'sse', url: `http://127.0.0.1:${port}/sse`, timeout: 5, headers } });
    await rig.reaches('s', 'failed');
    expect(rig.status('s').error).to.contain('another origin').and.to.not.contain('hush');
    expect(server.headers).to.deep.equal([]);
    asking.closeAllConnections();
    await new Promise((resolve) => asking.close(resolve));
  });

  it('reports that a server requires credentials', async () => {
    server.instead = { status: 401, body: '{"error":"invalid_token"}' };
    await rig.configure();
    await rig.define({ s: remote() });
    await rig.reaches('s', 'auth_required');
    expect(rig.status('s').error).to.contain('401');
  });

  it('reports where to find out how people sign in, for a server whose challenge is for tokens', async () => {
    const text = 'it requires credentials (HTTP 401); set headers in its definition';
    await rig.configure();
    server.instead = { status: 401, headers: { 'www-authenticate': 'Basic realm="Bearers"' } };
    await rig.define({ a: remote() });
    await rig.reaches('a', 'auth_required');
    expect(rig.status('a').error).to.equal(text);
    server.instead = { status: 401, headers: { 'www-authenticate': 'Basic realm="x", Bearer scope="y"' } };
    await rig.define({ a: remote(), b: remote() });
    await rig.reaches('b', 'auth_required');
    expect(rig.status('b').error).to.equal(
      `${text}; core_mcpserver_detect shows how people sign in there; for sign-ins of callers there, set aggregator.oauth.mcpClient.enabled to true`,
    );
  });

  it('relays progress before the answer', async () => {
    await connected();
    const heard: Progress[] = [];
    expect(await rig.text('x_s_progress', {}, { progress: (update) => heard.push(update) })).to.equal(
      'progress ',
    );
    expect(heard).to.deep.equal([{ progress: 1 }, { progress: 2 }]);
  });

  it('notifies the server of a cancelled call', async () => {
    await connected();
    const cancel = new Cancellation();
    const refusal = rig.refusal('x_s_slow', { ms: 60_000 }, { cancel });
    await until('the call arrives', () => server.count('tools/call') === 1);
    cancel.cancel('enough');
    expect(await refusal).to.include({ code: 'TOOL_CANCELLED' });
    await until('the notification at the server', () => server.cancelled.length === 1);
  });

  it('reports that a call whose connection was cut may have run', async () => {
    await connected();
    const error = await rig.refusal('x_s_cut');
    expect(error).to.include({ code: 'UPSTREAM_CLOSED' });
    expect(error.message).to.contain('may have run');
    expect(await rig.text('x_s_echo')).to.equal('echo ');
  });

  it('resends a cut call of a read-only tool once, and marks the result', async () => {
    server.tools = ['echo', 'readCutOnce', 'readCut'];
    await connected();
    const { content, _meta } = (await rig.call('x_s_readCutOnce')).value();
    expect(content[0]).to.include({ text: 'readCutOnce ' });
    expect(_meta).to.deep.equal({ 'pegboard.dev/retried': true });
    expect(server.count('tools/call')).to.equal(2);
    expect((await rig.refusal('x_s_readCut')).message).to.contain('may have run');
    expect(server.count('tools/call')).to.equal(4);
  });

  it('reads the list again when the server announces a change', async () => {
    await connected();
    await until('the stream', () => server.streams === 1);
    server.tools = ['fresh', 'slow'];
    server.push({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    await rig.hasTool('x_s_fresh');
    expect(rig.tools()).to.deep.equal(['x_s_fresh', 'x_s_slow']);
    expect(rig.told('server.toolsChanged').at(-1)).to.deep.include({ added: ['x_s_fresh'] });
  });

  it('reports tools whose declaration has changed, in any detail', async () => {
    await connected();
    await until('the stream', () => server.streams === 1);
    const list = async (declare: typeof server.declare): Promise<unknown> => {
      server.declare = declare;
      const before = rig.told('server.toolsChanged').length;
      server.push({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
      await until('the list', () => rig.told('server.toolsChanged').length > before);
      return rig.told('server.toolsChanged').at(-1);
    };
    const other = await list((tool) => {
      return tool.name === 'echo' ? { ...tool, description: 'This is\u200b echo.' } : tool;
    });
    expect(other).to.deep.include({ added: [], removed: [], changed: ['x_s_echo'] });
    // A change back is a change too; another order of members and the renaming of another tool are not.
    const renamed = await list(({ name, ...rest }) => ({ ...rest, name: name === 'cut' ? 'cut2' : name }));
    expect(renamed).to.deep.include({ added: ['x_s_cut2'], removed: ['x_s_cut'], changed: ['x_s_echo'] });
  });

  it('works with a server that offers no stream', async () => {
    server.hasStream = false;
    await connected();
    expect(await rig.text('x_s_echo')).to.equal('echo ');
    expect(rig.status('s').state).to.equal('connected');
  });

  it('notices that a server is gone, keeps its tools as stale, and reconnects', async () => {
    await connected({ backoffFirstMs: 20, backoffMaxMs: 100, retryWaitMs: 0, resumeMs: 20 });
    await until('the stream', () => server.streams === 1);
    await server.kill();
    await rig.reaches('s', 'unreachable');
    expect(rig.tools()).to.include('x_s_echo');
    expect(rig.isStale('x_s_echo')).to.equal(true);
    expect(rig.status('s').metadata).to.include({ stale: true });
    await until('a refusal with reason and time', async () => {
      const failure = await rig.refusal('x_s_echo').catch(() => undefined);
      return (
        failure?.code === 'UPSTREAM_UNREACHABLE' && /is away: .*next attempt is at 20/.test(failure.message)
      );
    });
    await server.listen();
    await rig.reaches('s', 'connected');
    expect(await rig.text('x_s_echo')).to.equal('echo ');
    expect(rig.isStale('x_s_echo')).to.equal(false);
    expect(rig.told('server.toolsChanged')).to.have.length(1);
  });

  it('notices by ping that a server without a stream is gone', async () => {
    server.hasStream = false;
    await connected({ pingIntervalMs: 30, backoffFirstMs: 20, backoffMaxMs: 50 });
    await server.kill();
    await until('noticed', () => rig.status('s').state !== 'connected');
    await server.listen();
    await rig.reaches('s', 'connected');
  });

  it('survives a restart of the server between two calls', async () => {
    server.hasStream = false;
    await connected();
    await server.kill();
    await server.listen();
    server.loseSessions(404, 'new process');
    const answers = await Promise.all(Array.from({ length: 20 }, () => rig.text('x_s_echo')));
    expect(new Set(answers)).to.deep.equal(new Set(['echo ']));
    expect(server.count('initialize')).to.equal(2);
  });

  it('does not let a server that never answers delay the configuration or another server', async () => {
    const hole = createServer((socket) => void socket.on('error', () => undefined).resume());
    await new Promise<void>((resolve) => hole.listen(0, '127.0.0.1', resolve));
    const { port } = hole.address() as AddressInfo;
    await rig.configure();
    await rig.define({ hole: remote({ url: `http://127.0.0.1:${port}/mcp`, timeout: 0.3 }), s: remote() });
    await rig.hasTool('x_s_echo');
    expect(rig.status('hole').state).to.equal('starting');
    expect(await rig.text('x_s_echo')).to.equal('echo ');
    await rig.reaches('hole', 'failed');
    await new Promise((resolve) => hole.close(resolve));
  });

  it('ends the session when it stops, but not when it is restarted and begins another', async () => {
    await connected();
    const before = server.count('initialize');
    await rig.service('s').restart?.();
    expect([server.count('initialize') - before, server.deleted]).to.deep.equal([1, 0]);
    await rig.define({});
    await until('the session ends', () => server.deleted === 1);
  });

  describe('server-everything', () => {
    let child: ChildProcess | undefined;
    afterEach(() => child?.kill('SIGKILL'));

    for (const [mode, type, path] of [
      ['streamableHttp', 'streamable-http', 'mcp'],
      ['sse', 'sse', 'sse'],
    ] as const) {
      it(`is called over ${type}, killed, started again and called again`, async () => {
        const port = await freePort();
        const launch = (): void => {
          child = spawn(process.execPath, [EVERYTHING, mode], {
            env: { ...process.env, PORT: String(port) },
            stdio: 'ignore',
          });
        };
        launch();
        await rig.configure({ backoffFirstMs: 50, backoffMaxMs: 100, resumeMs: 50 });
        await rig.define({ e: { type, url: `http://127.0.0.1:${port}/${path}`, timeout: 10 } });
        await until('connected', () => rig.status('e').state === 'connected', 15_000);
        expect(await rig.text('x_e_echo', { message: 'hi' })).to.equal('Echo: hi');
        const heard: Progress[] = [];
        const args = { duration: 0.2, steps: 2 };
        await rig.call('x_e_trigger-long-running-operation', args, {
          progress: (update) => heard.push(update),
        });
        expect(heard.map(({ progress }) => progress)).to.deep.equal([1, 2]);
        child?.kill('SIGKILL');
        await until('noticed', () => rig.status('e').state !== 'connected');
        launch();
        await until('connected again', () => rig.status('e').state === 'connected', 15_000);
        expect(await rig.text('x_e_echo', { message: 'again' })).to.equal('Echo: again');
      }).timeout(40_000);
    }
  });
});
