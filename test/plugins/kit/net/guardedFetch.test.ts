import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createSecureContext } from 'node:tls';
import { expect } from 'chai';
import { guardedFetch, GuardedFetchError } from '../../../../plugins/kit/net/guardedFetch.ts';
import type { GuardedFetchParts } from '../../../../plugins/kit/net/guardedFetch.ts';
import { defer } from '../../../support/cleanup.ts';
import { forwardProxy } from '../../../support/forwardProxy.ts';
import type { ForwardProxy } from '../../../support/forwardProxy.ts';
import { httpsSite, PUBLIC_ADDRESS } from '../../../support/httpsSite.ts';
import type { HttpsSite } from '../../../support/httpsSite.ts';
import { socksProxy } from '../../../support/socksProxy.ts';
import { within } from '../../../support/until.ts';
import { withVariables } from '../../../support/withVariables.ts';

const HOST = 'app.example';

describe('lib: guardedFetch', () => {
  let answer: RequestListener;
  let site: HttpsSite;
  const seen: IncomingMessage[] = [];

  before(async () => {
    site = await httpsSite(
      (request, response) => {
        seen.push(request);
        answer(request, response);
      },
      HOST,
      'other.example',
      'dead.example',
    );
  });
  beforeEach(() => {
    answer = (_request, response) => response.end('hello');
    seen.length = 0;
    for (const name of [HOST, 'other.example']) site.names.set(name, [[PUBLIC_ADDRESS]]);
  });

  const partsWith = (more: Partial<GuardedFetchParts> = {}): GuardedFetchParts => ({
    allowPrivate: false,
    timeoutMs: 5_000,
    maxBytes: 1_000,
    trust: () => ({ secureContext: createSecureContext({ ca: [...site.ca] }) }),
    resolve: site.resolve,
    dial: site.dial,
    ...more,
  });
  const at = (host: string, path = '/'): string => `https://${host}:${site.port}${path}`;
  const refused = async (url: string, more?: Partial<GuardedFetchParts>): Promise<GuardedFetchError> => {
    const error: unknown = await within(guardedFetch(partsWith(more))(url)).then(
      () => expect.fail(`${url} was fetched`),
      (reason: unknown) => reason,
    );
    if (!(error instanceof GuardedFetchError)) throw error;
    return error;
  };

  it('fetches from a public address by its name, which stays in Host and in TLS', async () => {
    const response = await guardedFetch(partsWith())(at(`${HOST}.`, '/a?b'));
    expect(response.status).equal(200);
    expect(await response.text()).equal('hello');
    expect(seen[0]?.url).equal('/a?b');
    expect(seen[0]?.headers).include({ host: `${HOST}:${site.port}`, 'accept-encoding': 'identity' });
    expect(site.dialled).deep.equal([PUBLIC_ADDRESS]);
  });

  it('sends method, headers and any kind of body, and returns status, headers and an empty body', async () => {
    const bodies: string[] = [];
    answer = (request, response) => {
      request.setEncoding('utf8').on('data', (text: string) => bodies.push(text));
      request.on('end', () => {
        response.writeHead(204, 'Done', { 'x-two': ['1', '2'] }).end();
      });
    };
    const post = async (body: URLSearchParams | Uint8Array): Promise<Response> =>
      guardedFetch(partsWith())(new URL(at(HOST)), { method: 'POST', headers: { 'x-one': '1' }, body });
    const response = await post(new URLSearchParams({ a: 'b c' }));
    await post(new TextEncoder().encode('bytes'));
    expect(bodies).deep.equal(['a=b+c', 'bytes']);
    expect(seen[0]?.method).equal('POST');
    expect(seen[0]?.headers).include({
      'x-one': '1',
      'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
      'content-length': '5',
    });
    expect([response.status, response.statusText, response.headers.get('x-two')]).deep.equal([
      204,
      'Done',
      '1, 2',
    ]);
    expect(await response.text()).equal('');
  });

  describe('without private addresses', () => {
    const literals = [
      ...[
        '127.0.0.1',
        '127.1',
        '2130706433',
        '0x7f000001',
        '0177.0.0.1',
        '127.0.0.1.',
        '10.0.0.1',
        '100.64.0.1',
      ],
      ...[
        '169.254.169.254',
        '0.0.0.0',
        '[::1]',
        '[::]',
        '[::ffff:127.0.0.1]',
        '[::ffff:10.0.0.1]',
        '[64:ff9b::7f00:1]',
      ],
    ];
    it('connects to no address in a URL that is not public, however it is written', async () => {
      const before = site.connections();
      for (const host of literals) expect((await refused(at(host))).reason, host).equal('private-address');
      expect(site.connections()).equal(before);
    });

    it('connects to no name of which one address is not public, and does not tell the address', async () => {
      const before = [site.connections(), site.dialled.length];
      for (const inner of [
        '127.0.0.1',
        '10.0.0.1',
        '169.254.169.254',
        '::1',
        '::ffff:127.0.0.1',
        '64:ff9b::7f00:1',
        '0.0.0.0',
      ]) {
        for (const addresses of [[inner], [PUBLIC_ADDRESS, inner], [inner, PUBLIC_ADDRESS]]) {
          site.names.set(HOST, [addresses]);
          const { reason, message, cause } = await refused(at(HOST));
          expect(reason, addresses.join()).equal('private-address');
          expect(message).not.contain(inner);
          expect(cause).equal(undefined);
        }
      }
      expect([site.connections(), site.dialled.length]).deep.equal(before);
    });

    it('fetches from them when it is allowed, except from addresses that no host has', async () => {
      site.names.set(HOST, [['127.0.0.1']]);
      const response = await guardedFetch(partsWith({ allowPrivate: true }))(at(HOST));
      expect(await response.text()).equal('hello');
      for (const none of ['0.0.0.0', '224.0.0.1', '2001::1', 'no address']) {
        site.names.set(HOST, [[none]]);
        expect((await refused(at(HOST), { allowPrivate: true })).reason).equal('private-address');
      }
    });

    it('resolves once, and connects to the addresses that it has checked', async () => {
      site.names.set(HOST, [[PUBLIC_ADDRESS], ['127.0.0.1']]);
      const before = site.dialled.length;
      expect((await guardedFetch(partsWith())(at(HOST))).status).equal(200);
      expect(site.dialled.slice(before)).deep.equal([PUBLIC_ADDRESS]);
      expect((await refused(at(HOST))).reason).equal('private-address');
      expect(site.dialled.slice(before)).deep.equal([PUBLIC_ADDRESS]);
    });
  });

  it('refuses what is not a plain https URL before it resolves the name', async () => {
    const resolve = (): never => expect.fail('resolved');
    for (const [url, reason] of [
      ['not a url', 'bad-url'],
      ['//app.example/', 'bad-url'],
      ['https://user@app.example/', 'bad-url'],
      ['https://:word@app.example/', 'bad-url'],
      ['http://app.example/', 'not-https'],
      ['file:///etc/passwd', 'not-https'],
      ['data:,x', 'not-https'],
    ] as const) {
      expect((await refused(url, { resolve })).reason, url).equal(reason);
    }
  });

  it('uses http where it is allowed', async () => {
    const server = createServer((_request, response) => response.end('plain'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    defer(() => server.close());
    const url = `http://${HOST}:${(server.address() as AddressInfo).port}/`;
    const open = { allowPrivate: true, allowHttp: 'loopback' } as const;
    site.names.set(HOST, [['127.0.0.1']]);
    expect(await (await guardedFetch(partsWith(open))(url)).text()).equal('plain');
    expect((await refused(url, { ...open, allowPrivate: false })).reason).equal('private-address');
    for (const other of [PUBLIC_ADDRESS, '10.0.0.1']) {
      site.names.set(HOST, [[other]]);
      expect((await refused(url, open)).reason).equal('not-https');
    }
    site.names.set(HOST, [[PUBLIC_ADDRESS]]);
    expect(await (await guardedFetch(partsWith({ allowHttp: 'always' }))(url)).text()).equal('plain');
  });

  it('refuses a body over the limit and ends the connection, whatever its announced length', async () => {
    answer = (_request, response) => response.end('x'.repeat(1_000));
    expect(await (await guardedFetch(partsWith())(at(HOST))).text()).length(1_000);
    const endless = (response: ServerResponse): void => {
      if (!response.destroyed) response.write('x'.repeat(400), () => setImmediate(endless, response));
    };
    let closed: Promise<unknown> | undefined;
    answer = (_request, response) => {
      closed = new Promise((resolve) => response.on('close', resolve));
      endless(response);
    };
    expect((await refused(at(HOST))).reason).equal('too-large');
    await within(closed ?? Promise.reject(new Error('no request')));
  });

  it('ends a response that drips, headers that do not come, and a name that does not resolve, at the timeout', async () => {
    const drip = (response: ServerResponse): void => {
      if (!response.destroyed) response.write('x', () => setTimeout(drip, 5, response));
    };
    const closed: Promise<unknown>[] = [];
    for (const listener of [(_: unknown, response: ServerResponse) => drip(response), () => undefined]) {
      answer = (request, response) => {
        closed.push(new Promise((resolve) => response.on('close', resolve)));
        listener(request, response);
      };
      expect((await refused(at(HOST), { timeoutMs: 100 })).reason).equal('timeout');
    }
    await within(Promise.all(closed));
    const resolve = (): Promise<never> => new Promise(() => undefined);
    expect((await refused(at(HOST), { timeoutMs: 20, resolve })).reason).equal('timeout');
  });

  it("fails with the reason of the caller's signal", async () => {
    const controller = new AbortController();
    answer = () => controller.abort(new Error('enough'));
    const fetched = guardedFetch(partsWith())(at(HOST), { signal: controller.signal });
    expect(await within(fetched.catch((error: unknown) => (error as Error).message))).equal('enough');
    const resolve = (): never => expect.fail('resolved');
    const late = guardedFetch(partsWith({ resolve }))(at(HOST), {
      signal: AbortSignal.abort(new Error('before')),
    });
    expect(await late.catch((error: unknown) => (error as Error).message)).equal('before');
  });

  it('follows no redirect unless it may, and checks each hop', async () => {
    const locations: Record<string, string> = {
      '/relative': '/end',
      '/other': at('other.example', '/end'),
      '/private': at('127.0.0.1'),
      '/plain': `http://${HOST}/`,
      '/back': at('other.example', '/and-back'),
      '/and-back': at(HOST, '/end'),
      '/loop': '/loop',
    };
    answer = (request, response) => {
      const location = locations[request.url ?? ''];
      if (location === undefined) response.end('the end');
      else response.writeHead(302, { location }).end('moved');
    };
    expect((await refused(at(HOST, '/relative'))).reason).equal('redirect');
    expect(seen.map(({ url }) => url)).deep.equal(['/relative']);
    const follow = guardedFetch(partsWith({ maxRedirects: 3 }));
    expect(await (await follow(at(HOST, '/relative'))).text()).equal('the end');
    const headers = { authorization: 'Bearer secret', accept: 'text/plain' };
    expect(await (await follow(at(HOST, '/other'), { headers })).text()).equal('the end');
    const last = seen.at(-1)?.headers;
    expect(last).include({ host: `other.example:${site.port}`, accept: 'text/plain' });
    expect(last).not.have.property('authorization');
    expect(await (await follow(at(HOST, '/back'), { headers })).text()).equal('the end');
    expect(seen.at(-1)?.headers).include({ host: `${HOST}:${site.port}` });
    expect(seen.at(-1)?.headers).not.have.property('authorization');
    await follow(at(HOST, '/relative'), { headers });
    expect(seen.at(-1)?.headers).have.property('authorization');
    const before = site.connections();
    expect((await refused(at(HOST, '/private'), { maxRedirects: 3 })).reason).equal('private-address');
    expect(site.connections()).equal(before + 1);
    expect((await refused(at(HOST, '/plain'), { maxRedirects: 3 })).reason).equal('not-https');
    expect((await refused(at(HOST, '/loop'), { maxRedirects: 3 })).reason).equal('redirect');
    const posted = await follow(at(HOST, '/relative'), { method: 'POST' }).catch((error: unknown) => error);
    expect(posted).instanceOf(GuardedFetchError).include({ reason: 'redirect' });
  });

  it('refuses a response that ends too early, or is not HTTP', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('half', () => response.destroy());
    };
    expect((await refused(at(HOST))).reason).equal('unreachable');
    answer = (_request, response) => response.socket?.end('SSH-2.0-OpenSSH\r\n\r\n');
    expect((await refused(at(HOST))).message).match(/: HPE_INVALID_CONSTANT$/);
    answer = (_request, response) => response.socket?.end('HTTP/1.1 999 Odd\r\n\r\n');
    expect((await refused(at(HOST))).reason).equal('unreachable');
  });

  it('returns a 3xx response without a location', async () => {
    answer = (_request, response) => response.writeHead(304).end();
    expect((await guardedFetch(partsWith())(at(HOST))).status).equal(304);
  });

  it('refuses a content encoding, a foreign certificate and a dead port, and tells only a code', async () => {
    answer = (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('zip');
    expect((await refused(at(HOST))).reason).equal('encoding');
    expect(await refused(at(HOST), { trust: () => undefined })).include({
      reason: 'unreachable',
      message: `no response from ${HOST}:${site.port}: DEPTH_ZERO_SELF_SIGNED_CERT; aggregator.extraCaFile and aggregator.oauth.tls say what is trusted and shown there`,
    });
    site.names.set('unnamed.example', [[PUBLIC_ADDRESS]]);
    expect((await refused(at('unnamed.example'))).message).match(/ERR_TLS_CERT_ALTNAME_INVALID; /);
    const { reason, message } = await refused(`https://${HOST}:1/`);
    expect([reason, message]).deep.equal(['unreachable', `no response from ${HOST}:1: ECONNREFUSED`]);
    expect((await refused(at('unknown.example'))).reason).equal('unresolved');
  });

  describe('through a proxy', () => {
    let proxy: ForwardProxy;
    beforeEach(async () => {
      proxy = await forwardProxy(() => site.port);
      withVariables({ ALL_PROXY: `http://kim:s3cret@${proxy.place}` });
      site.dialled.length = 0;
    });

    it('asks for the name of a host that is public here, as the environment says', async () => {
      const response = await guardedFetch(partsWith())(at(HOST, '/a?b'));
      expect(await response.text()).equal('hello');
      expect(proxy.asked).deep.equal([`CONNECT ${HOST}:${site.port}`]);
      expect(proxy.credentials).deep.equal(['kim:s3cret']);
      expect(seen[0]?.headers).include({ host: `${HOST}:${site.port}` });
      expect(seen[0]?.headers).not.property('proxy-authorization');
      expect(site.dialled).deep.equal([]);
    });

    it('asks for no private address, by number or by name, at any hop', async () => {
      site.names.set('other.example', [['10.0.0.1']]);
      for (const host of ['10.0.0.1', '[fd12::1]', '169.254.169.254', 'other.example'])
        expect((await refused(`https://${host}/`)).reason).equal('private-address');
      answer = (_request, response) => response.writeHead(302, { location: 'https://10.0.0.1/' }).end();
      expect((await refused(at(HOST), { maxRedirects: 1 })).reason).equal('private-address');
      expect(proxy.asked).deep.equal([`CONNECT ${HOST}:${site.port}`]);
    });

    it('leaves a name to it that is unknown here only if it may, and over https', async () => {
      site.names.delete('dead.example');
      expect((await refused(at('dead.example'))).message).match(
        /^dead\.example:\d+ cannot be resolved to an address here, .*; if the proxy refuses those, set aggregator\.proxyResolves: true$/,
      );
      const proxies = () => ({ proxyResolves: true });
      const http = { proxies, allowHttp: 'always' } as const;
      expect((await refused('http://dead.example/', http)).reason).equal('unresolved');
      expect(proxy.asked).deep.equal([]);
      for (const more of [{ proxies }, { allowPrivate: true }])
        expect((await guardedFetch(partsWith(more))(at('dead.example'))).status).equal(200);
    });

    it('is not asked for this machine', async () => {
      site.names.set(HOST, [['127.0.0.1']]);
      expect((await guardedFetch(partsWith({ allowPrivate: true }))(at(HOST))).status).equal(200);
      expect(proxy.asked).deep.equal([]);
    });

    it('wants the certificate of the host from what answers', async () => {
      site.names.set('unnamed.example', [[PUBLIC_ADDRESS]]);
      expect((await refused(at('unnamed.example'))).message).match(/ERR_TLS_CERT_ALTNAME_INVALID; /);
      expect(seen).deep.equal([]);
    });

    it('sends plain http in the form for proxies', async () => {
      const plain = createServer((request, response) =>
        response.end(`${request.url} ${request.headers.host}`),
      );
      await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
      defer(() => plain.close());
      proxy = await forwardProxy(() => (plain.address() as AddressInfo).port);
      const proxies = () => ({ proxy: `http://${proxy.place}` });
      const response = await guardedFetch(partsWith({ proxies, allowHttp: 'always' }))(`http://${HOST}/a?b`);
      expect(await response.text()).equal(`/a?b ${HOST}`);
      expect(proxy.asked).deep.equal([`GET http://${HOST}/a?b`]);
    });

    it('fails with its name if it refuses, hangs or is not there, within the time', async () => {
      proxy.refuseWith = 403;
      expect((await refused(at(HOST))).message).match(
        /^the proxy http:\/\/127\.0\.0\.1:\d+ \(ALL_PROXY\) did not connect to app\.example:\d+: it answered HTTP 403; have it allow/,
      );
      const deaf = createTcpServer((socket) => socket.resume());
      await new Promise<void>((resolve) => deaf.listen(0, '127.0.0.1', resolve));
      defer(() => deaf.close());
      const hanging = { proxy: `http://127.0.0.1:${(deaf.address() as AddressInfo).port}` };
      expect((await refused(at(HOST), { proxies: () => hanging, timeoutMs: 50 })).reason).equal('timeout');
      const none = { proxy: 'http://127.0.0.1:1' };
      expect((await refused(at(HOST), { proxies: () => none })).message).match(
        /^the proxy .* cannot be reached: /,
      );
    });

    it('speaks SOCKS5 too', async () => {
      const socks = await socksProxy('kim:s3cret', (target) =>
        target.startsWith(HOST) ? site.port : undefined,
      );
      const through = (login: string) => ({ proxies: () => ({ proxy: `socks5://${login}${socks.place}` }) });
      const response = await guardedFetch(partsWith(through('kim:s3cret@')))(at(HOST));
      expect(await response.text()).equal('hello');
      expect(socks.asked).deep.equal([`${HOST}:${site.port}`]);
      expect((await refused(at('other.example'), through('kim:s3cret@'))).message).match(/host unreachable$/);
      expect((await refused(at(HOST), through('kim:wrong@'))).message).match(/refuses the user and password/);
    });
  });
});
