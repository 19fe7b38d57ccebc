import { expect } from 'chai';
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { BootFailure } from '../../../kernel/config/pipeline.ts';
import { makeDirectory } from '../../support/directory.ts';
import type { Directory } from '../../support/directory.ts';
import { MCP_HEADERS, initializeBody, listenerUrl, postMcp } from '../../support/edge.ts';
import { bootGateway, moduleOf } from '../../support/gateway.ts';
import type { Gateway } from '../../support/gateway.ts';
import { identify } from '../../support/identify.ts';
import { McpClient } from '../../support/mcpClient.ts';
import { openStream, send } from '../../support/rawHttp.ts';
import type { RawAnswer } from '../../support/rawHttp.ts';

const BUILT_INS = [
  ...['http', 'front', 'transport-http', 'transport-sse', 'toolsets', 'metatools', 'vault-memory'],
  'local-token',
];
const ON = 'aggregator: { port: 0, localToken: true }\n';

describe('aggregator.localToken', () => {
  const start = async (directory: Directory, config = ON): Promise<Gateway & { readonly url: string }> => {
    directory.write('config.yaml', config);
    mkdirSync(directory.at('state'), { recursive: true, mode: 0o700 });
    const gateway = await bootGateway({ directory, builtIns: BUILT_INS });
    return { ...gateway, url: listenerUrl(gateway).replace('localhost', '127.0.0.1') };
  };
  const tokenIn = (directory: Directory): string =>
    readFileSync(directory.at('state/local-token'), 'utf8').trim();
  const faultsOf = (started: Promise<unknown>): Promise<string> =>
    started.then(
      () => 'started',
      (error: unknown) => JSON.stringify((error as BootFailure).issues),
    );
  const post = (url: string, authorization?: string): Promise<RawAnswer> =>
    postMcp(url, initializeBody(), authorization === undefined ? {} : { authorization });

  it('is a random token of 256 bits in a file of mode 0600, kept over restarts', async () => {
    const directories = [makeDirectory(), makeDirectory()] as const;
    const tokens = [];
    for (const directory of directories) {
      const first = await start(directory);
      tokens.push(tokenIn(directory));
      expect(Buffer.from(tokenIn(directory), 'base64url')).to.have.length(32);
      expect(readFileSync(directory.at('state/local-token'), 'utf8')).to.match(/^[\w-]{43}\n$/);
      expect(statSync(directory.at('state/local-token')).mode & 0o777).to.equal(0o600);
      await first.stop();
      const { url } = await start(directory);
      expect((await post(url, `Bearer ${tokens.at(-1) ?? ''}`)).status).to.equal(200);
    }
    expect(tokens[0]).not.to.equal(tokens[1]);
  });

  it('is wanted on every MCP path, in words that say where it is', async () => {
    const directory = makeDirectory();
    const { url } = await start(directory, `${ON}toolsetPresets: { few: { include: [{ server: a }] } }\n`);
    const token = tokenIn(directory);
    const body = initializeBody();
    const message = '/message?sessionId=00000000-0000-0000-0000-000000000000';
    for (const [method, path] of [
      ['POST', '/mcp'],
      ['GET', '/mcp'],
      ['DELETE', '/mcp'],
      ['POST', '/mcp/t/few'],
      ['GET', '/mcp/t/few'],
      ['GET', '/sse'],
      ['POST', message],
    ] as const) {
      const request = { method, headers: MCP_HEADERS, ...(method === 'POST' && { body }) };
      const answer = await send(`${url}${path}`, request);
      expect(answer.status, `${method} ${path}`).to.equal(401);
      expect(answer.headers['www-authenticate']).to.equal('Bearer realm="pegboard local token"');
      const { jsonrpc, id, error } = answer.json();
      expect([jsonrpc, id, error?.code]).to.deep.equal(['2.0', null, -32000]);
      expect(error?.data).to.deep.equal({ code: 'REQUEST_UNAUTHENTICATED' });
      expect(error?.message).to.equal(
        `this gateway wants its local token: send the header Authorization: Bearer <token>; the token is the text of ${directory.at('state/local-token')}, and pegboard link writes it into clients`,
      );
    }
    const client = await McpClient.connect(url, { headers: { authorization: `bearer  ${token}` } });
    expect(client.sessionId).to.be.a('string');
    const few = await McpClient.connect(url, {
      headers: { authorization: `Bearer ${token}` },
      path: '/mcp/t/few',
    });
    expect(few.sessionId).to.be.a('string');
    expect(
      (
        await send(`${url}${message}`, {
          method: 'POST',
          headers: { ...MCP_HEADERS, authorization: `Bearer ${token}` },
          body,
        })
      ).status,
    ).to.equal(404);
  });

  it('refuses other tokens and other ways to sign in', async () => {
    const directory = makeDirectory();
    const { url, log } = await start(directory);
    const token = tokenIn(directory);
    const basic = Buffer.from(`pegboard:${token}`).toString('base64');
    const others = [`${token}a`, token.slice(0, -1), token.toUpperCase(), '', 'a b', `${token} ${token}`];
    for (const value of [...others.map((one) => `Bearer ${one}`), token, `Basic ${basic}`, `DPoP ${token}`]) {
      const answer = await post(url, value);
      expect(answer.status, value).to.equal(401);
      expect(answer.text).not.to.include(token);
    }
    const wrong = await post(url, `Bearer ${token}a`);
    expect(wrong.headers['www-authenticate']).to.equal(
      'Bearer realm="pegboard local token", error="invalid_token"',
    );
    expect(wrong.json().error?.message).to.match(/^this is not the local token of this gateway: send /);
    const lines = log.having('request refused: it lacks the local token').map(({ data }) => data);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include({ path: '/mcp', reason: 'token-not-valid', address: '127.0.0.1' });
    expect(JSON.stringify(lines)).not.to.include(token);
  });

  it('leaves what is public as it is', async () => {
    const { url } = await start(makeDirectory());
    for (const path of ['/health', '/ready']) expect((await send(`${url}${path}`)).status).to.equal(200);
  });

  it('ends streams that were opened without it when it is switched on, and no others', async () => {
    const directory = makeDirectory();
    const gateway = await start(directory, 'aggregator: { port: 0 }\n');
    const before = await openStream(`${gateway.url}/sse`);
    directory.write('state/local-token', `${'a'.repeat(43)}\n`);
    chmodSync(directory.at('state/local-token'), 0o600);
    const authorized = await openStream(`${gateway.url}/sse`, {
      headers: { authorization: `Bearer ${'a'.repeat(43)}` },
    });
    let hasEnded = false;
    void authorized.ended.then(() => (hasEnded = true));
    directory.write('config.yaml', ON);
    await gateway.pipeline.reload();
    await before.ended;
    expect((await post(gateway.url)).status).to.equal(401);
    directory.write('config.yaml', 'aggregator: { port: 0 }\n');
    await gateway.pipeline.reload();
    expect((await post(gateway.url)).status).to.equal(200);
    expect(hasEnded).to.equal(false);
  });

  it('accepts callers that another plugin has identified', async () => {
    const directory = makeDirectory({ 'identify.mjs': moduleOf(identify) });
    const { url } = await start(directory, `${ON}plugins: { test-identify: { module: ./identify.mjs } }\n`);
    expect((await postMcp(url, initializeBody(), { 'x-caller': 'issuer someone' })).status).to.equal(200);
    expect((await post(url)).status).to.equal(401);
  });

  it('warns of a file that others may read', async () => {
    const directory = makeDirectory();
    await (await start(directory)).stop();
    const file = directory.at('state/local-token');
    chmodSync(file, 0o644);
    const { log } = await start(directory);
    expect(log.having('a key file is open to others', 'warn').map(({ data }) => data)).to.deep.equal([
      { plugin: 'local-token', file, mode: '0644', fix: `chmod 600 ${file}` },
    ]);
  });

  it('refuses the start when there is no usable token', async () => {
    const directory = makeDirectory();
    await (await start(directory)).stop();
    const file = directory.at('state/local-token');
    for (const text of ['', 'short\n', `${'a'.repeat(43)} b\n`]) {
      writeFileSync(file, text);
      expect(await faultsOf(start(directory)), text).to.include(
        `${file} cannot be used: it must hold one word of 43 characters at least; delete it, and Pegboard creates a new one`,
      );
    }
    rmSync(file);
    await start(directory);
  });

  it('contradicts sign-in, which tells callers apart', async () => {
    const directory = makeDirectory();
    const oauth = '{ server: { enabled: true, baseUrl: "https://a.test" } }';
    const config = `aggregator: { port: 0, localToken: true, oauth: ${oauth} }\n`;
    expect(await faultsOf(start(directory, config)))
      .to.include('plugin local-token: localToken is one token for all, and aggregator.oauth.server has')
      .and.include('"line":1,"column":24');
  });
});
