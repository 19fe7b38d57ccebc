import { spawn } from 'node:child_process';
import { once } from 'node:events';
import dns from 'node:dns/promises';
import { chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import os, { hostname, networkInterfaces } from 'node:os';
import type { NetworkInterfaceInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import type { JsonObject } from '../../../kernel/contracts/json.ts';
import { Confinement } from '../../../plugins/contracts/servers.ts';
import type { Confined } from '../../../plugins/contracts/servers.ts';
import { askCore, callCore } from '../../support/coreTools.ts';
import { defer } from '../../support/cleanup.ts';
import { makeDirectory } from '../../support/directory.ts';
import { bootGateway } from '../../support/gateway.ts';
import type { Gateway } from '../../support/gateway.ts';
import { ROOT } from '../../support/sources.ts';
import { until } from '../../support/until.ts';

const FIXTURES = join(ROOT, 'test/plugins/isolate/fixtures');
const BUILT_INS = ['upstream', 'store-file', 'core-mcpservers', 'core-services', 'isolate'];

function hasBubblewrap(): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return process.platform === 'linux' && folders.some((folder) => existsSync(join(folder, 'bwrap')));
}

function shell(network: readonly string[], more: JsonObject = {}): JsonObject {
  const processes = process.getuid?.() === 0 ? 0 : 64;
  return {
    type: 'stdio',
    autoStart: true,
    command: [process.execPath, join(FIXTURES, 'shell.mjs')],
    isolate: 'sandbox',
    grants: { processes, network: [...network], files: [{ path: FIXTURES }] },
    ...more,
  };
}

describe('isolate: sandbox with a list of hosts', function () {
  this.timeout(30_000);
  before(function () {
    if (!hasBubblewrap()) this.skip();
  });

  const start = async (
    servers: Readonly<Record<string, JsonObject>>,
    config = '',
    aggregator = 'aggregator: { port: 0 }\n',
  ): Promise<Gateway> => {
    const directory = makeDirectory();
    directory.write('config.yaml', aggregator + config);
    for (const [name, spec] of Object.entries(servers))
      directory.write(`mcpservers/${name}.yaml`, JSON.stringify(spec));
    mkdirSync(directory.at('state'), { recursive: true, mode: 0o700 });
    return bootGateway({ directory, builtIns: BUILT_INS });
  };
  const settled = async (gateway: Gateway, name: string): Promise<JsonObject> => {
    let status: JsonObject = {};
    await until(async () => {
      status = await askCore(gateway, 'core_service_status', { name });
      return ['running', 'failed'].includes(String(status['state']));
    });
    return status;
  };
  const run = async (gateway: Gateway, line: string, server = 's'): Promise<string> => {
    expect((await settled(gateway, server))['error'] ?? '').to.equal('');
    const { content } = await callCore(gateway, `x_${server}_run`, { line });
    return String((JSON.parse(String(content[0]?.['text'])) as JsonObject)['said']);
  };
  /** Bytes on one connection to the proxy. */
  const ask = (gateway: Gateway, ...texts: readonly string[]): Promise<string> => askAs('s', gateway, texts);
  const askAs = (server: string, gateway: Gateway, texts: readonly string[]): Promise<string> => {
    const words = texts.map((text) => `'${JSON.stringify(text).slice(1, -1)}'`);
    return run(gateway, `${process.execPath} ${join(FIXTURES, 'ask.mjs')} proxy ${words.join(' ')}`, server);
  };
  const site = async (): Promise<{ readonly port: number; readonly seen: string[] }> => {
    const seen: string[] = [];
    const server = createServer((asked, answer) => {
      let body = '';
      asked.on('data', (chunk: Buffer) => (body += chunk.toString()));
      asked.on('end', () => {
        seen.push(`${asked.method} ${asked.url} ${asked.headers.host} ${body}`);
        answer.end('here');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    defer(() => {
      server.close();
      server.closeAllConnections();
    });
    return { port: (server.address() as AddressInfo).port, seen };
  };

  it('reaches what is listed by CONNECT and by whole URLs, and nothing else', async () => {
    const { port, seen } = await site();
    const gateway = await start({ s: shell([`127.0.0.1:${port}`, `localhost:${port}`]) });
    const get = 'GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    for (const host of ['127.0.0.1', 'localhost']) {
      const said = await ask(gateway, `CONNECT ${host}:${port} HTTP/1.1\r\nHost: x\r\n\r\n${get}`);
      expect(said, host).to.match(/^HTTP\/1\.1 200 Connection established\r\n\r\nHTTP\/1\.1 200 OK[^]*here/);
    }
    const absolute = `POST http://127.0.0.1:${port}/b?c HTTP/1.1\r\nHost: evil\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi`;
    expect(await ask(gateway, absolute)).to.match(/^HTTP\/1\.1 200 OK[^]*here/);
    expect(seen).to.deep.equal(['GET /a x ', 'GET /a x ', `POST /b?c 127.0.0.1:${port} hi`]);
    const direct = `${process.execPath} -e 'fetch("http://127.0.0.1:${port}").catch((e) => console.log(e.cause.code))'`;
    expect(await run(gateway, direct)).to.contain('ECONNREFUSED');
  });

  /** Names in place of those of the system. @returns the names that were asked for */
  const resolving = (known: Readonly<Record<string, readonly string[] | 'never'>>): string[] => {
    const own = dns.lookup;
    const asked: string[] = [];
    const fake = (host: string, options: unknown): unknown => {
      if (known[host] === undefined) return own(host, options as { all: true });
      asked.push(host);
      if (known[host] === 'never') return new Promise(() => undefined);
      return Promise.resolve(known[host].map((address) => ({ address })));
    };
    dns.lookup = fake as typeof dns.lookup;
    syncBuiltinESMExports();
    defer(() => {
      dns.lookup = own;
      syncBuiltinESMExports();
    });
    return asked;
  };
  const tunnel = (place: string): string => `CONNECT ${place} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const sockets = (gateway: Gateway): readonly string[] =>
    readdirSync(gateway.directory.at('state/isolate-net'));
  const inForce = async (gateway: Gateway): Promise<string> =>
    String(((await settled(gateway, 's'))['metadata'] as JsonObject)['confinement']);

  it('refuses this machine under each of its names, whatever else is granted there', async () => {
    const { port } = await site();
    const other = (await site()).port;
    const gateway = await start({ s: shell([`127.0.0.1:${port}`, '*.example.com:443']) });
    const names = ['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0177.0.0.1', 'localhost', 'localhost.'];
    const others = ['0.0.0.0', '[::]', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', hostname()];
    for (const name of [...names, ...others])
      expect(await ask(gateway, tunnel(`${name}:${other}`)), name).to.match(/^HTTP\/1\.1 403 /);
    for (const name of others)
      expect(await ask(gateway, tunnel(`${name}:${port}`)), name).to.match(/^HTTP\/1\.1 403 /);
    const url = `GET http://[::ffff:127.0.0.1]:${other}/ HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`;
    expect(await ask(gateway, url)).to.match(/^HTTP\/1\.1 403 /);
    for (const place of ['', 'x', 'x:0', 'x:99999', 'x:443/', 'u@127.0.0.1:1', `127.0.0.1:${port}@x:443`])
      expect(await ask(gateway, tunnel(place)), place).to.match(/^HTTP\/1\.1 400 /);
  });

  it('refuses a name that leads to this machine or a private network, unless that address is granted, too', async () => {
    const { port } = await site();
    const own = Object.values(networkInterfaces()).flatMap((found = []) => found);
    const outer = own.find(({ internal }) => !internal)?.address ?? '10.0.0.1';
    const bad = ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1', '0.0.0.0', outer];
    const leading = bad.map((address, at) => [`n${at}.example.com`, [address]] as const);
    const asked = resolving({
      ...Object.fromEntries(leading),
      'mixed.example.com': ['127.0.0.1', '10.0.0.1'],
      'here.example.com': ['127.0.0.1'],
      'other.example.org': ['127.0.0.1'],
    });
    const hosts = [`*.example.com:${port}`, '*.example.com:443', `127.0.0.1:${port}`];
    const gateway = await start({ s: shell(hosts) });
    for (const [name] of leading)
      expect(await ask(gateway, tunnel(`${name}:443`)), name).to.match(
        /^HTTP\/1\.1 403 [^]*no entry is that/,
      );
    expect(await ask(gateway, tunnel(`mixed.example.com:${port}`))).to.contain('no entry is that address');
    const said = await ask(gateway, tunnel(`HERE.example.com.:${port}`), 'GET / HTTP/1.0\r\n\r\n');
    expect(said).to.match(/^HTTP\/1\.1 200 [^]*here$/);
    for (const name of ['other.example.org', 'example.com', 'example.com.evil.org', 'xexample.com'])
      expect(await ask(gateway, tunnel(`${name}:443`)), name).to.contain('does not name it');
    // A name that is not granted is not even asked for, which would carry data out.
    expect(asked.filter((name) => name === 'here.example.com')).to.have.lengthOf(1);
    expect(asked).to.not.include('other.example.org');
  });

  it('takes an address of this machine for its own, as IPv6 spells it, too', async () => {
    const own = os.networkInterfaces;
    const address = { address: '1.2.3.4', family: 'IPv4', internal: false } as NetworkInterfaceInfo;
    os.networkInterfaces = () => ({ e: [address] });
    syncBuiltinESMExports();
    defer(() => {
      os.networkInterfaces = own;
      syncBuiltinESMExports();
    });
    resolving({ 'a.example.com': ['1.2.3.4'], 'b.example.com': ['::ffff:1.2.3.4'] });
    const gateway = await start({ s: shell(['*.example.com:443']) });
    for (const name of ['a.example.com', 'b.example.com'])
      expect(await ask(gateway, tunnel(`${name}:443`)), name).to.contain('no entry is that address');
  });

  it('checks each request of a connection, and lets none hide in the body of another', async () => {
    const { port, seen } = await site();
    const gateway = await start({ s: shell([`127.0.0.1:${port}`]) });
    const url = `http://127.0.0.1:${port}`;
    const evil = 'GET http://127.0.0.1:1/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const two = await ask(gateway, `GET ${url}/1 HTTP/1.1\r\nHost: x\r\n\r\n${evil}`);
    expect(two).to.match(/^HTTP\/1\.1 200 [^]*here[^]*HTTP\/1\.1 403 /);
    const head = `POST ${url}/2 HTTP/1.1\r\nHost: x\r\n`;
    const both = await ask(
      gateway,
      `${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${evil}`,
    );
    expect(both)
      .to.match(/^HTTP\/1\.1 400 /)
      .and.not.match(/ 200 | 403 /);
    const twice = await ask(gateway, `${head}Content-Length: 0\r\nContent-Length: 4\r\n\r\n${evil}`);
    expect(twice)
      .to.match(/^HTTP\/1\.1 400 /)
      .and.not.match(/ 200 | 403 /);
    const refused = await ask(gateway, `${tunnel('127.0.0.1:1')}GET ${url}/3 HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(refused.match(/HTTP\/1\.1 \d+/g)).to.deep.equal(['HTTP/1.1 403']);
    expect(seen.map((line) => line.split(' ')[1])).to.deep.equal(['/1']);
  });

  it('goes through the proxy of the gateway, to which a body stays a body', async () => {
    const seen: string[] = [];
    const sides = new Set<Socket>();
    const outer = createTcpServer((socket) => {
      sides.add(socket);
      socket
        .on('error', () => undefined)
        .on('data', (chunk: Buffer) => {
          seen.push(chunk.toString());
          if (chunk.includes('CONNECT')) socket.write('HTTP/1.1 200 OK\r\n\r\n');
          else if (chunk.includes('0\r\n\r\n')) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
        });
    });
    await new Promise<void>((resolve) => outer.listen(0, '127.0.0.1', resolve));
    defer(() => {
      outer.close();
      for (const socket of sides) socket.destroy();
    });
    resolving({ 'public.example.com': ['203.1.2.3'], 'bad.example.com': ['10.0.0.1'] });
    const proxy = `aggregator: { port: 0, proxy: 'http://u:p@127.0.0.1:${(outer.address() as AddressInfo).port}' }\n`;
    const hosts = ['public.example.com:80', 'bad.example.com:80', 'absent.invalid:80'];
    const gateway = await start({ s: shell(hosts) }, '', proxy);
    const evil = 'GET http://127.0.0.1:1/ HTTP/1.1\r\nHost: x\r\n\r\n';
    const chunk = `${evil.length.toString(16)}\r\n${evil}\r\n0\r\n\r\n`;
    const head =
      'GET http://public.example.com/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n';
    expect(await ask(gateway, head + chunk)).to.match(/^HTTP\/1\.1 200 OK[^]*ok$/);
    const sent = seen.join('');
    expect(sent).to.match(/^GET http:\/\/public\.example\.com\/a HTTP\/1\.1\r\n/);
    expect(sent.split('\r\n\r\n')[0])
      .to.match(/\r\ntransfer-encoding: chunked/i)
      .and.contain('dTpw');
    expect(sent).to.contain(chunk);
    expect(await ask(gateway, tunnel('public.example.com:80'), '0\r\n\r\n')).to.match(/ok$/);
    expect(seen.join('')).to.contain('CONNECT public.example.com:80 HTTP/1.1');
    expect(await ask(gateway, tunnel('bad.example.com:80'))).to.match(/^HTTP\/1\.1 403 /);
    expect(await ask(gateway, tunnel('absent.invalid:80'))).to.match(/^HTTP\/1\.1 502 /);
    // The credentials of the operator's proxy are not the server's.
    expect(await run(gateway, 'env | grep -i proxy')).to.not.contain('u:p');
  });

  it('shows once what was asked for in vain, in the status and among the lines of the server', async () => {
    const gateway = await start({ s: shell([]) });
    for (const place of ['registry.npmjs.org:443', 'registry.npmjs.org:443', '10.0.0.1:80'])
      expect(await ask(gateway, tunnel(place))).to.contain(
        'grants.network of its definition does not name it',
      );
    const why = 'grants.network of its definition does not name it';
    expect(await inForce(gateway))
      .to.match(/^sandbox; network no host; files /)
      .and.contain(`; in vain: registry.npmjs.org:443 (${why}), 10.0.0.1:80 (${why})`);
    const lines = JSON.stringify(gateway.log.records).match(
      /isolate: registry\.npmjs\.org:443 is not reached/g,
    );
    expect(lines).to.have.lengthOf(1);
    const many = Array.from({ length: 30 }, (_, at) => tunnel(`h${at}.example.com:443`));
    for (const one of many.slice(0, 22)) await ask(gateway, one);
    expect(await inForce(gateway)).to.match(/h17\.example\.com:443 [^,]*, and 4 more$/);
  });

  it('keeps the way of one server from all others, and from being changed', async () => {
    const { port } = await site();
    const gateway = await start({ s: shell([]), other: shell([`127.0.0.1:${port}`]) });
    await settled(gateway, 'other');
    const folder = gateway.directory.at('state/isolate-net');
    expect(sockets(gateway)).to.have.lengthOf(2);
    expect(await run(gateway, `ls ${folder} /run /run/pegboard`)).to.match(
      /^\/run:\npegboard\n\n\/run\/pegboard:\nnode\nproxy\nls: [^\n]*No such file or directory\n$/,
    );
    const line = 'cd /run/pegboard; rm -f proxy; mv proxy x; echo x > node; ln -sf /tmp proxy; chmod 0 proxy';
    expect((await run(gateway, line)).match(/Read-only|busy|Text file/g)).to.have.lengthOf.at.least(4);
    expect(await ask(gateway, tunnel(`127.0.0.1:${port}`))).to.contain('403');
  });

  it('holds new grants with a new process, and ends the way of the old one with it', async () => {
    const [one, other] = [await site(), await site()];
    const gateway = await start({ s: shell([`127.0.0.1:${one.port}`]) });
    expect(await ask(gateway, tunnel(`127.0.0.1:${one.port}`), 'GET / HTTP/1.0\r\n\r\n')).to.contain('here');
    const [before] = sockets(gateway);
    gateway.directory.write('mcpservers/s.yaml', JSON.stringify(shell([`127.0.0.1:${other.port}`])));
    await gateway.pipeline.reload();
    await until(() => sockets(gateway).length === 1 && sockets(gateway)[0] !== before);
    expect(await ask(gateway, tunnel(`127.0.0.1:${one.port}`))).to.contain('403');
    expect(await ask(gateway, tunnel(`127.0.0.1:${other.port}`), 'GET / HTTP/1.0\r\n\r\n')).to.contain(
      'here',
    );
    expect(await inForce(gateway))
      .to.contain(`network 127.0.0.1:${other.port};`)
      .and.contain('in vain');
  });

  it('bounds connections, ends a flood, and keeps no gateway from stopping', async () => {
    const config = 'plugins: { isolate: { config: { connections: 3 } } }\n';
    const mute = createTcpServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    defer(() => mute.close());
    const { port } = mute.address() as AddressInfo;
    const gateway = await start(
      { s: shell([`127.0.0.1:${port}`]), other: shell([`127.0.0.1:${port}`]) },
      config,
    );
    const script = `
      const { connect } = require("net");
      let open = 0, closed = 0;
      for (let at = 0; at < 8; at += 1) {
        const socket = connect("/run/pegboard/proxy");
        socket.on("error", () => {}).on("close", () => (closed += 1, tell())).on("data", () => (open += 1, tell()));
        socket.write("CONNECT 127.0.0.1:${port} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n");
      }
      const tell = () => { if (open + closed === 8) { console.log(open, closed); process.exit(); } };
    `;
    expect(await run(gateway, `${process.execPath} -e '${script}'`)).to.equal('3 5\n');
    const flood = `
      const { connect } = require("net");
      const again = () => connect("/run/pegboard/proxy").on("error", (e) => e.code === "ECONNREFUSED" && process.exit()).on("close", again);
      for (let at = 0; at < 50; at += 1) again();
      const line = "GET http://x.example.com/ HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n";
      connect("/run/pegboard/proxy").on("error", () => {}).write(line.repeat(4000));
    `;
    await run(gateway, `timeout 15 ${process.execPath} -e '${flood}'`);
    expect(JSON.stringify(gateway.log.records)).to.contain(
      'it floods the proxy to its hosts, which has ended',
    );
    expect(await inForce(gateway)).to.contain('its hosts are not reached any more');
    const held = `(${process.execPath} -e '${script.replace('process.exit()', '0')}; setTimeout(tell, 60000)' >/dev/null 2>&1 &)`;
    await run(gateway, held, 'other');
    await gateway.stop();
    expect(sockets(gateway)).to.deep.equal([]);
  });

  it('bounds the requests in flight on one connection, each of which takes a connection of its own', async () => {
    const sides = new Set<Socket>();
    const mute = createTcpServer((socket) => sides.add(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    defer(() => {
      mute.close();
      for (const socket of sides) socket.destroy();
    });
    const place = `127.0.0.1:${(mute.address() as AddressInfo).port}`;
    const gateway = await start(
      { s: shell([place]) },
      'plugins: { isolate: { config: { connections: 5 } } }\n',
    );
    const script = (count: number): string => `
      const socket = require("net").connect("/run/pegboard/proxy");
      socket.write("GET http://${place}/ HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n".repeat(${count}));
      socket.on("error", () => {}).on("close", () => (console.log("closed"), process.exit()));
      setTimeout(process.exit, 1500);
    `;
    expect(await run(gateway, `${process.execPath} -e '${script(8)}'`)).to.equal('');
    expect(sides.size).to.equal(1);
    expect(await run(gateway, `${process.execPath} -e '${script(400)}'`)).to.equal('closed\n');
  });

  it('counts a tunnel until both of its sides are closed', async () => {
    const sides = new Set<Socket>();
    const full = createTcpServer((socket) => sides.add(socket.on('error', () => undefined).pause()));
    await new Promise<void>((resolve) => full.listen(0, '127.0.0.1', resolve));
    defer(() => {
      full.close();
      for (const socket of sides) socket.destroy();
    });
    const place = `127.0.0.1:${(full.address() as AddressInfo).port}`;
    const gateway = await start(
      { s: shell([place]) },
      'plugins: { isolate: { config: { connections: 3 } } }\n',
    );
    const script = `
      const { connect } = require("net");
      const again = (left) => {
        if (left === 0) return;
        const socket = connect("/run/pegboard/proxy");
        socket.on("error", () => {}).on("close", () => again(left - 1));
        socket.write("CONNECT ${place} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n");
        socket.once("data", () => (socket.write(Buffer.alloc(2e7)), setTimeout(() => socket.destroy(), 400)));
      };
      again(8);
    `;
    await run(gateway, `${process.execPath} -e '${script}'`);
    expect(sides.size).to.equal(3);
  });

  it('leaves places to others, of which no server takes more than are free', async () => {
    const mute = createTcpServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    defer(() => mute.close());
    const place = `127.0.0.1:${(mute.address() as AddressInfo).port}`;
    const config = 'plugins: { isolate: { config: { allConnections: 6 } } }\n';
    const gateway = await start({ s: shell([place]), other: shell([place]) }, config);
    const script = `
      const { connect } = require("net");
      let open = 0, closed = 0;
      for (let at = 0; at < 8; at += 1)
        connect("/run/pegboard/proxy").on("error", () => {}).on("close", () => (closed += 1, tell()))
          .on("data", () => (open += 1, tell())).write("CONNECT ${place} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n");
      const tell = () => open + closed === 8 && console.log(open, closed);
      setTimeout(process.exit, 60000);
    `;
    const held = (file: string): string =>
      `${process.execPath} -e '${script}' >/tmp/${file} 2>&1 & until [ -s /tmp/${file} ]; do sleep 0.1; done; cat /tmp/${file}`;
    expect(await run(gateway, held('one').replace('2>&1 &', '2>&1 </dev/null &'))).to.equal('3 5\n');
    expect(await run(gateway, held('two'), 'other')).to.equal('2 6\n');
  });

  it('resolves names of servers in turn, and those of a slow one behind each other', async () => {
    resolving({
      'x.quick.example.com': ['10.0.0.1'],
      'y.slow.example.com': 'never',
      'z.slow.example.com': 'never',
    });
    const gateway = await start({
      s: shell(['*.slow.example.com:443']),
      other: shell(['*.quick.example.com:443']),
    });
    const script = `
      const { connect } = require("net");
      for (const name of ["y", "z", "y", "z"])
        connect("/run/pegboard/proxy").on("error", () => {})
          .write("CONNECT " + name + ".slow.example.com:443 HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n");
      setTimeout(process.exit, 20000);
    `;
    await run(gateway, `(${process.execPath} -e '${script}' >/dev/null 2>&1 &) ; sleep 1`);
    for (let at = 0; at < 3; at += 1) {
      const said = askAs('other', gateway, [tunnel('x.quick.example.com:443')]);
      expect(await said).to.contain('no entry is that address');
    }
  });

  it('leaves nothing of a server that cannot be spawned, and says what is too long', async () => {
    const args = ['x'.repeat(200_000)];
    const gateway = await start({ s: { ...shell(['example.com:443']), args } });
    expect((await settled(gateway, 's'))['error']).to.equal(
      'the command cannot be run: its arguments and variables together are too long for the system; shorten args or env, or have it read the long value from a file',
    );
    expect(sockets(gateway)).to.deep.equal([]);
  });

  it('works for an ordinary user, whose processes are limited', async () => {
    const { port } = await site();
    const gateway = await start({});
    const confinement = gateway.kernel.registry.get(Confinement.id) as Confinement;
    const own = process.getuid?.bind(process);
    const isRoot = own?.() === 0;
    if (isRoot) process.getuid = () => 65_534;
    defer(() => {
      if (own !== undefined) process.getuid = own;
    });
    const grants = { network: [`127.0.0.1:${port}`], processes: 40, files: [{ path: FIXTURES, mode: 'ro' }] };
    const get = `GET http://127.0.0.1:${port}/ HTTP/1.0\\r\\n\\r\\n`;
    const spawned = await confinement.confine({
      server: 's',
      isolate: 'sandbox',
      grants: grants as Confined['grants'],
      command: [process.execPath, join(FIXTURES, 'ask.mjs'), 'proxy', get],
      folder: undefined,
      env: {},
      image: undefined,
    });
    const [socket = ''] = sockets(gateway);
    const owned = [
      '',
      'state',
      'state/isolate',
      'state/isolate/s',
      'state/isolate-net',
      `state/isolate-net/${socket}`,
    ];
    if (isRoot) for (const path of owned) chownSync(gateway.directory.at(path), 65_534, 65_534);
    const [file = '', ...words] = spawned.command;
    const user = isRoot ? { uid: 65_534, gid: 65_534 } : {};
    const child = spawn(file, words, {
      env: spawned.env,
      ...user,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    defer(() => process.kill(-(child.pid ?? 0), 'SIGKILL'));
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await once(child.stdout, 'end');
    expect(said).to.match(/^HTTP\/1\.1 200 OK[^]*here$/);
    spawned.ended?.();
    await until(() => sockets(gateway).length === 0);
  });
});
