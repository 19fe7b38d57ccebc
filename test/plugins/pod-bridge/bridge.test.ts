import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { RequestOptions } from 'node:https';
import { connect } from 'node:tls';
import { expect } from 'chai';
import { sharedKeyClient } from '../../../plugins/kit/tls/sharedKey.ts';
import { defer } from '../../support/cleanup.ts';
import { makeDirectory } from '../../support/directory.ts';
import { EVERYTHING } from '../../support/everything.ts';
import { pegboardProgram } from '../../support/programs.ts';
import { until } from '../../support/until.ts';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
/** Answers each request with its parameters, its process id and TOKEN; `wait` gets no answer, `end` ends it. */
const ECHO = `
process.stdin.setEncoding('utf8');
let text = '';
process.stdin.on('data', (chunk) => {
  text += chunk;
  const lines = text.split('\\n');
  text = lines.pop();
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
    if (method === 'end') process.exit(3);
    if (method === 'ask') say({ id: 'q', method: 'roots/list' });
    if (method === 'note') say({ method: 'notifications/message', params: { data: 'noted' } });
    if (method === 'noise') console.log('not json');
    if (method === undefined) say({ method: 'notifications/message', params: { data: 'answered' } });
    if (id === undefined || method === undefined || method === 'wait') continue;
    if (method === 'exact') { process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"result":{"n":12345678901234567890}}\\n'); continue; }
    say({ id, result: { params, pid: process.pid, token: process.env.TOKEN, options: process.env.NODE_OPTIONS } });
  }
});
`;

interface Answer {
  readonly status: number;
  readonly session: string | undefined;
  readonly text: string;
}
interface Bridge {
  readonly port: number;
  readonly health: number;
  readonly key: Buffer;
  readonly log: () => string;
  readonly pid: number;
  readonly exited: Promise<readonly unknown[]>;
  readonly post: (message: unknown, session?: string) => Promise<Answer>;
  /** @returns what the stream has sent so far */
  readonly listen: (session: string) => Promise<() => string>;
  readonly begin: () => Promise<string>;
  /** Sends a message and waits for the head of the response only. @returns its status, and what ends the connection */
  readonly open: (
    message: unknown,
    session?: string,
  ) => Promise<{ readonly status: number; readonly leave: () => void }>;
}

describe('pegboard stdio', () => {
  const start = async (
    command: readonly string[],
    { flags = [], env = {} }: { readonly flags?: readonly string[]; readonly env?: NodeJS.ProcessEnv } = {},
  ): Promise<Bridge> => {
    const key = randomBytes(32);
    const file = makeDirectory({ key: key.toString('hex') }).at('key');
    const places = ['--listen', '127.0.0.1:0', '--health', '127.0.0.1:0', '--key-file', file];
    const words = [...pegboardProgram(), 'stdio', ...places, ...flags, '--', ...command];
    const child = spawn(process.execPath, words, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const exited = once(child, 'exit');
    defer(async () => {
      child.kill('SIGKILL');
      await exited;
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const [, port, health] = await until(() => /:(\d+), \S+:(\d+)/.exec(said) ?? undefined, {
      withinMs: 15_000,
    });
    const target = (): RequestOptions => {
      const { secureContext, pskCallback } = sharedKeyClient(key);
      const tls = { secureContext: secureContext(), pskCallback, checkServerIdentity: () => undefined };
      return { host: '127.0.0.1', port, path: '/mcp', agent: false, ...tls };
    };
    const send = (options: RequestOptions, body = ''): Promise<Answer> =>
      new Promise((resolve, reject) => {
        const req = request({ ...target(), ...options }, (res) => {
          let text = '';
          res.on('data', (chunk: Buffer) => (text += chunk.toString()));
          res.on('error', reject);
          res.on('end', () =>
            resolve({
              status: res.statusCode ?? 0,
              session: res.headers['mcp-session-id'] as string,
              text,
            }),
          );
        });
        req.on('error', reject);
        req.end(body);
      });
    const inSession = (session: string | undefined): RequestOptions['headers'] =>
      session === undefined ? {} : { 'mcp-session-id': session };
    const post: Bridge['post'] = (message, session) =>
      send({ method: 'POST', headers: inSession(session) }, JSON.stringify(message));
    return {
      port: Number(port),
      health: Number(health),
      key,
      log: () => said,
      pid: child.pid ?? 0,
      exited,
      post,
      begin: async () => {
        const { session = '' } = await post(INITIALIZE);
        return session;
      },
      open: async (message, session) => {
        const req = request({ ...target(), method: 'POST', headers: inSession(session) });
        defer(() => void req.destroy());
        req.on('error', () => undefined);
        req.end(JSON.stringify(message));
        const [res] = (await once(req, 'response')) as [IncomingMessage];
        res.on('error', () => undefined);
        return { status: res.statusCode ?? 0, leave: () => void req.destroy() };
      },
      listen: async (session) => {
        let text = '';
        const req = request({ ...target(), headers: inSession(session) });
        defer(() => void req.destroy());
        req.on('error', () => undefined);
        req.on('response', (res) => {
          res.on('data', (chunk: Buffer) => (text += chunk.toString()));
          res.on('error', () => undefined);
        });
        req.end();
        await once(req, 'response');
        return () => text;
      },
    };
  };
  const echo = ['node', '-e', ECHO];
  const resultOf = ({ text }: Answer): Readonly<Record<string, unknown>> => {
    const [, data = '{}'] = /data: (.*)/.exec(text) ?? [];
    return (JSON.parse(data) as { result?: Readonly<Record<string, unknown>> }).result ?? {};
  };

  it('refuses a session, and serves on, when it may open no more files', async () => {
    const bridge = await start([process.execPath, '-e', ECHO]);
    const before = await bridge.begin();
    const limit = (files: number): void =>
      void execFileSync('prlimit', ['--pid', String(bridge.pid), `--nofile=${files}:`]);
    limit(readdirSync(`/proc/${bridge.pid}/fd`).length + 3);
    const refused = await bridge.post(INITIALIZE);
    expect(refused).to.deep.include({ status: 503 });
    expect(refused.text).to.include('too many files and connections are open');
    expect(await bridge.post({ jsonrpc: '2.0', id: 1, method: 'x' }, before)).to.include({ status: 200 });
    limit(1_000);
    await bridge.begin();
  });

  it('gives each session a process, and ends it with the session', async () => {
    const { begin, post, exited, pid } = await start(echo);
    const [one, other] = [await begin(), await begin()];
    const pidOf = async (session: string): Promise<number> =>
      Number(resultOf(await post({ jsonrpc: '2.0', id: 1, method: 'x' }, session))['pid']);
    const [first, second] = [await pidOf(one), await pidOf(other)];
    expect(first).not.equal(second);
    process.kill(pid, 'SIGTERM');
    expect((await exited)[0]).equal(0);
    for (const child of [first, second]) expect(() => process.kill(child, 0)).throw('ESRCH');
  });

  it('answers no one without the key, and none that has not its own to show', async () => {
    const { port } = await start(echo);
    const failure = async (options: object): Promise<string> => {
      const socket = connect({ host: '127.0.0.1', port, checkServerIdentity: () => undefined, ...options });
      const [error] = (await once(socket, 'error')) as [Error];
      return error.message;
    };
    const { secureContext, pskCallback } = sharedKeyClient(randomBytes(32));
    expect(await failure({ secureContext: secureContext(), pskCallback })).match(/bad record mac|decrypt/i);
    expect(await failure({ rejectUnauthorized: false })).match(/handshake failure/i);
  });

  it('passes messages as they are: large ones, numbers that JavaScript cannot hold, and other lines to the log', async () => {
    const { begin, post, log } = await start(echo);
    const session = await begin();
    const text = 'x'.repeat(8 * 1_024 * 1_024);
    const { params } = resultOf(
      await post({ jsonrpc: '2.0', id: 1, method: 'x', params: { text } }, session),
    );
    expect((params as { text: string }).text.length).equal(text.length);
    expect((await post({ jsonrpc: '2.0', id: 2, method: 'exact' }, session)).text).include(
      '12345678901234567890',
    );
    await post({ jsonrpc: '2.0', id: 3, method: 'noise' }, session);
    await until(() => log().includes('not json'));
  });

  it('sends what the server asks on the stream of the one request that runs, else on the standing one', async () => {
    const { begin, post, listen } = await start(echo);
    const session = await begin();
    const asked = await post({ jsonrpc: '2.0', id: 1, method: 'ask' }, session);
    expect(asked.text).include('roots/list');
    const standing = await listen(session);
    expect((await post({ jsonrpc: '2.0', id: 'q', result: { roots: [] } }, session)).status).equal(202);
    await until(() => standing().includes('answered'));
  });

  it('asks on the standing stream once there is one: the call that runs may be that of another client', async () => {
    const { begin, post, listen } = await start(echo);
    const session = await begin();
    const standing = await listen(session);
    const { text } = await post({ jsonrpc: '2.0', id: 1, method: 'ask' }, session);
    expect(text).not.include('roots/list');
    await until(() => standing().includes('roots/list'), { what: 'the question' });
  });

  it('keeps what no stream is open for', async () => {
    const { begin, post, listen } = await start(echo);
    const session = await begin();
    await post({ jsonrpc: '2.0', method: 'note' }, session);
    await post({ jsonrpc: '2.0', id: 1, method: 'x' }, session);
    const standing = await listen(session);
    await until(() => standing().includes('noted'));
  });

  it('sends nothing more on the stream of a call that was cancelled, whose client may be gone', async () => {
    const { begin, post, open, listen } = await start(echo);
    const session = await begin();
    await open({ jsonrpc: '2.0', id: 1, method: 'wait' }, session);
    await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }, session);
    await post({ jsonrpc: '2.0', method: 'note' }, session);
    const standing = await listen(session);
    await until(() => standing().includes('noted'), { what: 'the note', withinMs: 5_000 });
  });

  it('says nothing on the stream of a call that may be about one which was given up, until that is answered', async () => {
    const { begin, post, open, listen } = await start(echo);
    const session = await begin();
    const standing = await listen(session);
    const { leave } = await open({ jsonrpc: '2.0', id: 1, method: 'wait' }, session);
    leave();
    const other = await post({ jsonrpc: '2.0', id: 2, method: 'note' }, session);
    expect(other.text).not.include('noted');
    await until(() => standing().includes('noted'), { what: 'the note' });
    // It answers under the id of the first.
    await until(async () => (await post({ jsonrpc: '2.0', id: 1, method: 'x' }, session)).status === 200);
    expect((await post({ jsonrpc: '2.0', id: 3, method: 'note' }, session)).text).include('noted');
  });

  it('cuts the calls of a process that ends, forgets its session, and begins another', async () => {
    const { begin, post } = await start(echo);
    const session = await begin();
    const waiting = post({ jsonrpc: '2.0', id: 1, method: 'wait' }, session).catch((error: unknown) => error);
    await post({ jsonrpc: '2.0', method: 'end' }, session).catch(() => undefined);
    expect(await waiting).instanceOf(Error);
    expect((await post({ jsonrpc: '2.0', id: 2, method: 'x' }, session)).status).equal(404);
    const { text, status } = await post({ jsonrpc: '2.0', id: 3, method: 'x' }, await begin());
    expect([status, text.includes('pid')]).deep.equal([200, true]);
  });

  it('says in the answer to initialize why its process has ended', async () => {
    const failing = await start(['node', '-e', 'process.exit(7)']);
    expect((await failing.post(INITIALIZE)).text).include('exited with code 7');
    const missing = await start(['/no/such/program']);
    expect((await missing.post(INITIALIZE)).text).include('cannot be started');
  });

  it('begins with initialize, takes so many sessions, and only messages', async () => {
    const { begin, post } = await start(echo, { flags: ['--sessions', '1'] });
    expect((await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).status).equal(400);
    expect((await post([INITIALIZE])).status).equal(400);
    expect((await post(INITIALIZE, 'of-another-bridge')).status).equal(404);
    await begin();
    expect((await post(INITIALIZE)).status).equal(429);
  });

  it('gives variables of the definition to the server alone', async () => {
    const env = { PEGBOARD_ENV_TOKEN: 'own', PEGBOARD_ENV_NODE_OPTIONS: '--no-warnings' };
    const { begin, post } = await start(echo, { env });
    const result = resultOf(await post({ jsonrpc: '2.0', id: 1, method: 'x' }, await begin()));
    expect(result).include({ token: 'own', options: '--no-warnings' });
  });

  it('lets running calls end after SIGTERM, unready meanwhile, and takes no others', async () => {
    const { begin, post, pid, exited, health } = await start(['node', EVERYTHING, 'stdio']);
    const session = await begin();
    await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session);
    const params = {
      name: 'trigger-long-running-operation',
      arguments: { duration: 2, steps: 4 },
      _meta: { progressToken: 'p' },
    };
    const running = post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, session);
    await until(async () => (await fetch(`http://127.0.0.1:${health}/health`)).status === 200);
    // It has begun once another request is answered.
    await post({ jsonrpc: '2.0', id: 2, method: 'ping' }, session);
    process.kill(pid, 'SIGTERM');
    await until(async () => (await fetch(`http://127.0.0.1:${health}/health`)).status === 503);
    expect((await post({ jsonrpc: '2.0', id: 3, method: 'ping' }, session)).status).equal(503);
    const { text } = await running;
    expect(text).include('notifications/progress').include('completed');
    expect((await exited)[0]).equal(0);
  });

  it('does not wait for calls whose caller has gone', async () => {
    const { begin, post, open, pid, exited } = await start(echo, { flags: ['--drain', '600'] });
    const session = await begin();
    const { leave } = await open({ jsonrpc: '2.0', id: 1, method: 'wait' }, session);
    leave();
    await post({ jsonrpc: '2.0', id: 2, method: 'x' }, session);
    process.kill(pid, 'SIGTERM');
    expect((await exited)[0]).equal(0);
  });

  it('ends a process that does not answer initialize when no client waits for it', async () => {
    const silent = ['node', '-e', 'setInterval(() => undefined, 1_000)'];
    const { open } = await start(silent, { flags: ['--sessions', '1'] });
    (await open(INITIALIZE)).leave();
    await until(
      async () => {
        const { status, leave } = await open(INITIALIZE);
        leave();
        return status === 200;
      },
      { withinMs: 15_000 },
    );
  });

  it('passes answers to questions of running calls on after SIGTERM', async () => {
    const { begin, post, open, health, pid } = await start(echo);
    const session = await begin();
    await open({ jsonrpc: '2.0', id: 1, method: 'wait' }, session);
    process.kill(pid, 'SIGTERM');
    await until(async () => (await fetch(`http://127.0.0.1:${health}/health`)).status === 503);
    expect((await post({ jsonrpc: '2.0', id: 'q', result: {} }, session)).status).equal(202);
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    expect((await post(cancelled, session)).status).equal(202);
    expect((await post({ jsonrpc: '2.0', id: 2, method: 'x' }, session)).status).equal(503);
  });

  it('hides in the log what the definition gives to the server, and what a Secret gives', async () => {
    const secret = 'sk-1234567890abcdef';
    const leaking = `
      process.stderr.write('stderr has ' + process.env.TOKEN + '\\n');
      console.log('stdout has ' + process.env.TOKEN);
      process.stderr.write('the last words: ' + process.env.TOKEN);
      setTimeout(() => process.exit(1), 100);`;
    const { post, log } = await start(['node', '-e', leaking], { env: { PEGBOARD_ENV_TOKEN: secret } });
    await post(INITIALIZE);
    await until(() => ['stderr has', 'stdout has', 'last words'].every((words) => log().includes(words)));
    expect(log()).not.include(secret);
  });

  it('slows a server down whose messages are not read, without a warning', async () => {
    const flood = `${ECHO}
      setTimeout(() => {
        for (let n = 0; n < 200_000; n++)
          process.stdout.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { n } }) + '\\n');
        process.stderr.write('all written\\n');
      }, 200);`;
    const { begin, listen, log } = await start(['node', '-e', flood]);
    const heard = await listen(await begin());
    await until(() => heard().includes('"n":199999'), { withinMs: 30_000 });
    expect(log()).not.include('MaxListeners');
  });

  describe('whose one process runs wild', () => {
    /** Does as ECHO does, and what `wild` says with the request `wild`. */
    const wildly = (wild: string): readonly string[] => [
      'node',
      '-e',
      ECHO.replace("if (method === 'end')", `if (method === 'wild') { ${wild} }\n    if (method === 'end')`),
    ];
    const request = (id: number, method: string): object => ({ jsonrpc: '2.0', id, method });
    const neighbours = async (
      command: readonly string[],
    ): Promise<Bridge & { readonly wild: string; readonly calm: () => Promise<void> }> => {
      const bridge = await start(command);
      const [wild, other] = [await bridge.begin(), await bridge.begin()];
      let id = 10;
      const calm = async (): Promise<void> => {
        expect((await bridge.post(request((id += 1), 'x'), other)).text).include('"pid"');
        expect((await fetch(`http://127.0.0.1:${bridge.health}/health`)).status).equal(200);
      };
      return { ...bridge, wild, calm };
    };
    const end = (pid: number): void => void process.kill(pid, 'SIGTERM');

    it('answers for the others while it computes for ever, and ends it', async () => {
      const { open, post, wild, calm, pid, exited } = await neighbours(wildly('for (;;);'));
      const { pid: child } = resultOf(await post(request(1, 'x'), wild));
      const { leave } = await open(request(2, 'wild'), wild);
      await calm();
      leave();
      await calm();
      end(pid);
      expect((await exited)[0]).equal(0);
      expect(() => process.kill(Number(child), 0)).throw('ESRCH');
    });

    it('ends all that it has started, with its session alone', async () => {
      const fork = `
        const all = Array.from({ length: 200 }, () =>
          require('node:child_process').spawn('sleep', ['600'], { stdio: 'ignore' }).pid);
        say({ id, result: { all } }); continue;`;
      const { post, wild, calm, pid, exited } = await neighbours(wildly(fork));
      const { all } = resultOf(await post(request(1, 'wild'), wild)) as { readonly all: readonly number[] };
      expect(all).lengthOf(200);
      await calm();
      await post({ jsonrpc: '2.0', method: 'end' }, wild).catch(() => undefined);
      const isThere = (one: number): boolean => {
        try {
          process.kill(one, 0);
          return !readFileSync(`/proc/${one}/stat`, 'utf8').includes(') Z ');
        } catch {
          return false;
        }
      };
      await until(() => !all.some(isThere), { what: 'the end of all' });
      await calm();
      end(pid);
      expect((await exited)[0]).equal(0);
    });

    it('ends its session for a line that does not end, without keeping it', async () => {
      const flood = `
        const part = Buffer.alloc(1_048_576, 120);
        const more = () => { while (process.stdout.write(part)); process.stdout.once('drain', more); };
        more(); continue;`;
      const { post, wild, calm, pid, exited } = await neighbours(wildly(flood));
      const cut = await post(request(1, 'wild'), wild).catch((error: unknown) => error);
      expect(cut).instanceOf(Error);
      await calm();
      expect((await post(request(2, 'x'), wild)).status).equal(404);
      const [, rss = ''] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      expect(Number(rss)).below(500_000);
      end(pid);
      expect((await exited)[0]).equal(0);
    });
  });

  it('refuses a key and an address that are malformed', async () => {
    const run = async (...words: readonly string[]): Promise<string> => {
      const child = spawn(process.execPath, [...pegboardProgram(), 'stdio', ...words], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let said = '';
      child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
      await once(child, 'close');
      return said;
    };
    const file = makeDirectory({ key: 'short' }).at('key');
    expect(await run('--key-file', file, '--', 'true')).include('--key-file must hold 64 hexadecimal digits');
    expect(await run('--', 'true')).include('--key-file');
    const good = makeDirectory({ key: 'a'.repeat(64) }).at('key');
    expect(await run('--key-file', good, '--listen', 'nowhere', '--', 'true')).include(
      '--listen must be host:port',
    );
    expect(readFileSync(good, 'utf8').length).equal(64);
  });
});
