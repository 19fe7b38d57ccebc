import { createServer as createHttpServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { expect } from 'chai';
import type { JsonObject } from '../../../kernel/index.ts';
import { defer } from '../../support/cleanup.ts';
import { httpsSite } from '../../support/httpsSite.ts';
import { HttpFixture } from './httpFixture.ts';
import { Rig, told, until } from './support.ts';

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
async function site(listener: RequestListener): Promise<string> {
  const server = createHttpServer(listener);
  const port = await listening(server);
  defer(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${port}`;
}

/** Old transport: announces where messages go. */
function announcing(endpoint: (host: string) => string): RequestListener {
  return (req, res) => {
    if (req.method !== 'GET') {
      res.writeHead(404).end('no route');
      return;
    }
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(`event: endpoint\ndata: ${endpoint(String(req.headers.host))}\n\n`);
  };
}

describe('upstream: why a server cannot be connected', () => {
  let rig: Rig;
  let defined = 0;
  beforeEach(async () => {
    defined = 0;
    rig = new Rig();
    await rig.configure({ backoffFirstMs: 60_000, deadlineTickMs: 10 });
  });
  afterEach(() => rig.stop());

  const whyNot = async (spec: JsonObject): Promise<string> => {
    const name = `s${++defined}`;
    await rig.define({ [name]: { timeout: 5, ...spec } });
    const why = (): unknown => rig.status(name).metadata['lastError'];
    await until('an attempt has failed', () => why() !== undefined, 10_000);
    return String(why());
  };
  const remote = (url: string, more: JsonObject = {}): JsonObject => ({
    type: 'streamable-http',
    url,
    ...more,
  });
  const stdio = (script: string): JsonObject => ({
    type: 'stdio',
    autoStart: true,
    timeout: 1,
    command: [process.execPath, '-e', `${script}; setInterval(() => 0, 1000)`],
  });

  it('is never that a greeting may have run', async () => {
    const stream = { 'content-type': 'text/event-stream' };
    const urls = [
      await site((_, res) => res.destroy()),
      await site((_, res) => res.writeHead(200, stream).end('data: {"json')),
      await site((_, res) => res.writeHead(200, { 'content-length': '99' }).write('{', () => res.destroy())),
      `http://127.0.0.1:${(await httpsSite((_, res) => res.end())).port}/mcp`,
    ];
    for (const [at, url] of urls.entries())
      for (const revision of ['auto', 'legacy', 'modern'])
        expect(await whyNot(remote(`${url}?${at}${revision}`, { revision })), url).not.contain(
          'may have run',
        );
    const sse = await site((req, res) => {
      if (req.method === 'GET') announcing(() => '/messages')(req, res);
      else res.destroy();
    });
    expect(await whyNot({ type: 'sse', url: sse }))
      .contain('connection ended')
      .not.contain('may have run');
  });

  it('is that its host is not known, and what to correct', async () => {
    expect(await whyNot(remote('http://pegboard-test.invalid/mcp')))
      .match(/^its host is not known: getaddrinfo ENOTFOUND pegboard-test\.invalid/)
      .match(/; correct the host in url, or set aggregator\.proxy if only a proxy knows it$/);
  });

  it('is that its port does not speak TLS, or HTTP, in words', async () => {
    const http = await site((_, res) => res.end());
    expect(await whyNot(remote(http.replace('http:', 'https:')))).equal(
      'what answers at this port does not speak TLS; correct the port of url, or begin it with http://',
    );
    const other = createServer((socket) => {
      defer(() => void socket.destroy());
      socket.on('error', () => undefined).write('220 ready\r\n');
    });
    const port = await listening(other);
    defer(() => void other.close());
    expect(await whyNot(remote(`http://127.0.0.1:${port}/mcp`))).contain(
      'what answers at this port does not speak HTTP; correct the port of url, or begin it with https://',
    );
  });

  it('is that a port of TLS, as common servers answer plain HTTP there, wants https://', async () => {
    for (const words of [
      'Client sent an HTTP request to an HTTPS server.',
      '<html><title>400 The plain HTTP request was sent to HTTPS port</title></html>',
      "Reason: You're speaking plain HTTP to an SSL-enabled server port.",
    ]) {
      const url = await site((_, res) => res.writeHead(400).end(words));
      expect(await whyNot(remote(url)), words)
        .match(/^what answers at this port wants TLS \(HTTP 400/)
        .match(/; begin url with https:\/\/$/);
    }
  });

  it('names the origin at which a server wants messages', async () => {
    const url = await site(announcing(() => 'http://10.9.8.7:3000/messages?sessionId=1'));
    expect(await whyNot({ type: 'sse', url })).contain(
      `the server asks for messages at another origin, http://10.9.8.7:3000; they are sent to ${url} only; set url to`,
    );
  });

  it('names the path at which messages were refused', async () => {
    const url = `${await site(announcing(() => '/messages/?sessionId=1234'))}/prefix/sse`;
    const why = await whyNot({ type: 'sse', url });
    expect(why)
      .contain('HTTP 404: no route (at /messages/, which it announced for messages)')
      .not.contain('1234');
  });

  it('is said once if both greetings fail in one way', async () => {
    const url = await site((_, res) => res.writeHead(200, { 'content-type': 'text/plain' }).end('hello'));
    expect(await whyNot(remote(url))).equal(
      'it answered HTTP 200 with text/plain in place of the answer: hello; set url to its MCP endpoint',
    );
    const error = { code: -32000, message: 'not today' };
    expect(await whyNot(told({ initialize: { error }, 'server/discover': { error } }))).equal(
      'initialize and server/discover of server s2 failed: not today',
    );
    const other = { code: -32000, message: 'never' };
    expect(await whyNot(told({ initialize: { error }, 'server/discover': { error: other } }))).equal(
      'initialize of server s3 failed: not today; server/discover of server s3 failed: never',
    );
  });

  it('is the title of a page, not its HTML', async () => {
    const page =
      '<!DOCTYPE html>\n<html><head><style>p { color: red }</style>\n<title>mcp.example | 524: A timeout &amp; more</title></head><body><p>…</p></body></html>';
    const url = await site((_, res) => res.writeHead(524, { 'content-type': 'text/html' }).end(page));
    expect(await whyNot(remote(url))).equal(
      "it answered HTTP 524 with a proxy's page: mcp.example | 524: A timeout & more",
    );
    const nginx = '<html>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center></html>';
    const other = await site((_, res) => res.writeHead(502).end(nginx));
    expect(await whyNot(remote(other))).equal("it answered HTTP 502 with a proxy's page: 502 Bad Gateway");
  });

  for (const [what, script, words] of [
    [
      'headers of language servers',
      'process.stdin.once("data", () => process.stdout.write("Content-Length: 9\\r\\n\\r\\n{}"))',
      'it wrote on standard output: Content-Length: 9 – headers before each message',
    ],
    [
      'JSON over several lines',
      'process.stdin.once("data", () => console.log(JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} }, null, 2)))',
      'it wrote on standard output: { – JSON over several lines',
    ],
    [
      'a banner without an end of line',
      'process.stdout.write("Ready! "); process.stdin.once("data", () => console.log(JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} })))',
      'it wrote on standard output: Ready! {"jsonrpc":"2.0","id":1,"result":{}} – a text before the message in its line',
    ],
    [
      'a banner',
      'console.log("Listening, pid 1"); console.log("Ready")',
      'it wrote on standard output: Listening, pid 1 – which is not a message',
    ],
  ] as const)
    it(`quotes ${what} on standard output`, async () => {
      expect(await whyNot(stdio(script)))
        .contain('had no answer within 1000 ms')
        .contain(words);
    });

  it('is that a command has its arguments in one text with it', async () => {
    const why = await whyNot({ type: 'stdio', autoStart: true, command: 'node /x.js' });
    expect(why).contain('if what follows node are its arguments, write them into args');
    expect(await whyNot({ type: 'stdio', autoStart: true, command: ['pegboard-absent'] })).not.contain(
      'args',
    );
  });
});

describe('upstream: why a call failed', () => {
  it('says how long a server asks to wait', async () => {
    const rig = new Rig();
    const server = new HttpFixture();
    await server.listen();
    defer(() => server.kill());
    defer(() => rig.stop());
    await rig.configure();
    await rig.define({ s: { type: 'streamable-http', url: server.url, timeout: 5 } });
    await rig.hasTool('x_s_echo');
    server.instead = { status: 429, headers: { 'retry-after': '17' }, body: 'slow down' };
    expect((await rig.refusal('x_s_echo')).message).equal(
      'tool echo of server s failed: it answered HTTP 429: slow down; try again in 17 s',
    );
  });
});
