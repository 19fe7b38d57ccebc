import { expect } from 'chai';
import { initializeBody, MCP_HEADERS, startEdge } from '../../support/edge.ts';
import type { Edge } from '../../support/edge.ts';
import { openSocket, send } from '../../support/rawHttp.ts';

describe('http: Host and Origin', () => {
  let edge: Edge;
  beforeEach(async () => {
    edge = await startEdge();
  });

  async function statusWith(headers: Record<string, string>, path = '/mcp'): Promise<number> {
    const method = path === '/mcp' || path.startsWith('/message') ? 'POST' : 'GET';
    const answer = await send(`${edge.url}${path}`, {
      method,
      headers: { ...MCP_HEADERS, ...headers },
      ...(method === 'POST' ? { body: initializeBody() } : {}),
    });
    if (answer.status >= 400) expect(answer.headers['content-type']).equal('application/json');
    return answer.status;
  }

  const HOSTS: readonly (readonly [string, number])[] = [
    ['localhost', 200],
    ['localhost:8090', 200],
    ['LOCALHOST', 200],
    ['127.0.0.1', 200],
    ['127.0.0.1:1', 200],
    ['[::1]', 200],
    ['[::1]:8090', 200],
    ['evil.com', 403],
    ['evil.example.com:8090', 403],
    ['localhost.evil.com', 403],
    ['127.0.0.1.nip.io', 403],
    ['localhost.', 403],
    ['localhost:', 403],
    ['localhost:80:80', 403],
    ['localhost:http', 403],
    ['user@localhost', 403],
    ['localhost/evil.com', 403],
    ['127.1', 403],
    ['2130706433', 403],
    ['0.0.0.0', 403],
    ['::1', 403],
    ['[::ffff:7f00:1]', 403],
    ['169.254.169.254', 403],
  ];
  for (const [host, status] of HOSTS) {
    it(`answers ${status} to the Host ${JSON.stringify(host)}`, async () => {
      expect(await statusWith({ host })).equal(status);
    });
  }

  const ORIGINS: readonly (readonly [string, number])[] = [
    ['http://localhost:8090', 200],
    ['HTTPS://LocalHost:8090', 200],
    ['http://localhost', 403],
    ['http://localhost:3000', 403],
    ['http://127.0.0.1:8090', 403],
    ['http://[::1]:5173', 403],
    ['http://evil.com', 403],
    ['null', 403],
    ['', 403],
    ['http://localhost.evil.com', 403],
    ['http://127.0.0.1.nip.io', 403],
    ['http://localhost.', 403],
    ['http://localhost@evil.com', 403],
    ['http://localhost:8090/', 403],
    ['file://localhost:8090', 403],
    ['chrome-extension://localhost', 403],
    ['http://localhost:8090, http://evil.com', 403],
  ];
  for (const [origin, status] of ORIGINS) {
    it(`answers ${status} to the Origin ${JSON.stringify(origin)} with a good Host`, async () => {
      expect(await statusWith({ host: 'localhost:8090', origin })).equal(status);
    });
  }

  it('refuses what pages of other sites and ports send without an Origin, where callers are served', async () => {
    for (const path of ['/mcp', '/mcp/t/read-only', '/sse', '/message?sessionId=x'])
      for (const site of ['cross-site', 'same-site', 'anything']) {
        const answer = await send(`${edge.url}${path}`, {
          headers: { ...MCP_HEADERS, 'sec-fetch-site': site },
        });
        expect(answer.status, `${path} ${site}`).equal(path.startsWith('/message') ? 405 : 403);
        if (answer.status === 403) expect(answer.text).include('Sec-Fetch-Site');
      }
    expect(await statusWith({ 'sec-fetch-site': 'cross-site' })).equal(403);
    expect(await statusWith({ 'sec-fetch-site': 'cross-site' }, '/message?sessionId=x')).equal(403);
    expect(await statusWith({ 'sec-fetch-site': 'cross-site' }, '/health')).equal(200);
    for (const site of ['same-origin', 'none'])
      expect(await statusWith({ 'sec-fetch-site': site })).equal(200);
  });

  it('serves pages of other sites that the settings name', async () => {
    const origin = 'https://app.example.com';
    await edge.configure({ plugins: { http: { config: { allowedOrigins: [origin] } } } });
    expect(await statusWith({ origin, 'sec-fetch-site': 'cross-site' })).equal(200);
  });

  it('checks Host and Origin on every path alike', async () => {
    for (const path of ['/mcp', '/sse', '/message?sessionId=x', '/health', '/nowhere']) {
      if (path !== '/health') expect(await statusWith({ host: 'evil.com' }, path), path).equal(403);
      expect(await statusWith({ origin: 'http://evil.com' }, path), path).equal(403);
    }
  });

  it('names in the refusal the setting that would allow the name', async () => {
    const host = await send(`${edge.url}/sse`, { headers: { host: 'evil.com' } });
    expect(host.json().error?.message).include('allowedHosts').and.include('evil.com');
    const origin = await send(`${edge.url}/health`, { headers: { origin: 'http://evil.com' } });
    expect(origin.json().error?.message).include('allowedOrigins');
  });

  it('quotes a hostile Host as data', async () => {
    const answer = await send(`${edge.url}/sse`, { headers: { host: `"${'a'.repeat(5_000)}` } });
    expect(answer.status).equal(403);
    expect(answer.json().error?.message.length).lessThan(300);
  });

  it('reads further names from the settings, live', async () => {
    const headers = { host: 'gateway.example.com', origin: 'https://app.example.com' };
    expect(await statusWith(headers)).equal(403);
    const config = {
      allowedHosts: ['Gateway.Example.com'],
      allowedOrigins: ['https://App.example.com'],
    };
    await edge.configure({ plugins: { http: { config } } });
    expect(await statusWith(headers)).equal(200);
    expect(await statusWith({ ...headers, host: 'gateway.example.com:8443' })).equal(200);
    expect(await statusWith({ ...headers, origin: 'https://app.example.com:8443' })).equal(403);
    expect(await statusWith({ ...headers, origin: 'https://other.example.com' })).equal(403);
  });

  it('refuses a request without Host, or with an empty one, in JSON', async () => {
    for (const host of ['', 'host:\r\n', 'host: \r\n']) {
      const { write, closed } = await openSocket(edge.url);
      write(`GET /nowhere HTTP/1.1\r\n${host}connection: close\r\n\r\n`);
      const answer = await closed;
      expect(answer)
        .match(/^HTTP\/1\.1 403 /)
        .and.include('application/json');
    }
  });

  for (const name of ['Host', 'content-type', 'Authorization']) {
    it(`answers 400 to the header ${name} twice, whatever its values`, async () => {
      const { write, closed } = await openSocket(edge.url);
      const head = 'GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n';
      const once = name === 'Host' ? '' : `${name}: localhost\r\n`;
      write(`${head}${once}${name.toLowerCase()}: localhost\r\n\r\n`);
      const answer = await closed;
      expect(answer)
        .match(/^HTTP\/1\.1 400 /)
        .and.include(`send the header ${name.toLowerCase()} once`);
    });
  }

  it('prefers the host of a complete URL in the request line to the header', async () => {
    for (const [target, host, status] of [
      ['http://evil.com/sse', 'localhost', 403],
      ['http://evil.com', 'localhost', 403],
      ['http://evil.com/health/../sse', 'localhost', 403],
      ['http://evil.com/health', 'localhost', 200],
      ['http://localhost/health', 'localhost', 200],
      ['http:///sse', 'localhost', 403],
    ] as const) {
      const { write, closed } = await openSocket(edge.url);
      write(`GET ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
      expect(await closed, target).match(new RegExp(`^HTTP/1.1 ${status} `));
    }
  });

  it('accepts addresses as Host when it listens beyond the loopback, but no foreign names', async () => {
    await edge.configure({ aggregator: { host: '0.0.0.0' } });
    const url = edge.url.replace('0.0.0.0', '127.0.0.1');
    const status = async (host: string) => (await send(`${url}/nowhere`, { headers: { host } })).status;
    expect(await status('192.168.1.20:8090')).equal(404);
    expect(await status('[2001:db8::1]')).equal(404);
    expect(await status('evil.com')).equal(403);
    expect(await status('10.0.0.1.nip.io')).equal(403);
  });

  it('answers /health and /ready whatever Host says, as health checks of balancers send them', async () => {
    for (const path of ['/health', '/ready', '/ready?from=balancer'])
      for (const head of [
        `GET ${path} HTTP/1.0\r\n`,
        `HEAD ${path} HTTP/1.1\r\nconnection: close\r\n`,
        `GET ${path} HTTP/1.1\r\nhost:\r\nconnection: close\r\n`,
        `GET ${path} HTTP/1.1\r\nhost: lb.internal\r\nconnection: close\r\n`,
        `GET ${path} HTTP/1.1\r\nhost: 10.0.0.7:8090\r\nconnection: close\r\n`,
      ]) {
        const { write, closed } = await openSocket(edge.url);
        write(`${head}\r\n`);
        expect(await closed, head).match(/^HTTP\/1\.1 200 /);
      }
    for (const path of ['/health/', '/healthy', '/health%2f', '//health', '/ready/x'])
      expect(await statusWith({ host: 'evil.com' }, path), path).equal(403);
  });

  it('writes one line for each name that it refuses, with the key to set', async () => {
    const lines = () => edge.gateway.log.having('request refused: its Host or Origin', 'warn');
    for (const host of ['one', 'ONE:8090', 'two.example.com', 'one']) await statusWith({ host });
    expect(lines()).length(2);
    expect(lines()[0]?.data).deep.include({ address: '127.0.0.1' });
    expect(lines()[0]?.data['reason'])
      .include('host "one" is not allowed')
      .and.include('plugins.http.config.allowedHosts');
    expect(lines()[1]?.data['reason']).include('"two.example.com"');
    for (let round = 0; round < 2; round += 1)
      await statusWith({ host: 'localhost', origin: 'https://app.example.com' });
    expect(lines()).length(3);
    expect(lines()[2]?.data['reason']).include('https://app.example.com').and.include('allowedOrigins');
  });

  it('stops writing such lines after 100 names, and says so', async () => {
    const names = Array.from({ length: 120 }, (_, at) => `guess${at}.example.com`);
    for (const host of names) await send(`${edge.url}/sse`, { headers: { host } });
    expect(edge.gateway.log.having('request refused: its Host or Origin', 'warn')).length(100);
    expect(edge.gateway.log.having('refusals of further names', 'warn')).length(1);
  });
});
