import { expect } from 'chai';
import { checkResource } from '../../../kernel/config/resources.ts';
import type { JsonObject } from '../../../kernel/contracts/json.ts';
import type { Resource } from '../../../kernel/contracts/resource.ts';
import { mcpServerKind } from '../../../plugins/core-mcpservers/mcpServerKind.ts';

function issuesOf(spec: JsonObject, name = 'a'): readonly string[] {
  const origin = { locate: () => ({}) };
  const { issues } = checkResource({ kind: 'MCPServer', name, spec, origin }, [mcpServerKind]);
  return issues.map(({ severity, message }) => `${severity}: ${message.replace(`MCPServer ${name}: `, '')}`);
}
const STDIO = { type: 'stdio', command: ['node', 'server.js'] };
const REMOTE = { type: 'streamable-http', url: 'https://example.org/mcp' };

describe('plugins/core-mcpservers: the kind MCPServer', () => {
  it('accepts everything the interface describes', () => {
    expect(issuesOf(STDIO)).to.deep.equal([]);
    expect(
      issuesOf({ type: 'stdio', command: 'npx', args: ['-y', 'x'], env: { A: '${env:B}' } }),
    ).to.deep.equal([]);
    expect(
      issuesOf({ ...REMOTE, headers: { Authorization: 'Bearer ${file:/t}' }, callTimeout: 60 }),
    ).to.deep.equal([]);
    expect(
      issuesOf({ ...REMOTE, type: 'sse', suspended: true, restartRequestedAt: '2026-01-31T12:00:00Z' }),
    ).to.deep.equal([]);
    expect(issuesOf(STDIO, 'My_Server-1.x')).to.deep.equal([]);
  });

  it('accepts a socket file for streamable HTTP', () => {
    const url = 'unix:/run/mcp.sock:/mcp';
    for (const one of [url, 'unix:///run/mcp.sock'])
      expect(issuesOf({ ...REMOTE, url: one })).to.deep.equal([]);
    const message = 'error: a url of a socket file is unix:/run/mcp.sock:/mcp, with type: streamable-http';
    for (const more of [{ url: 'unix:mcp.sock' }, { url: 'unix:///run/mcp.sock#/mcp' }, { url, type: 'sse' }])
      expect(issuesOf({ ...REMOTE, ...more })).to.deep.equal([message]);
  });

  it('accepts a proxy and files for TLS, and refuses what cannot work', () => {
    const tls = { ca: 'ca.pem', cert: 'a.pem', key: 'a.key', servername: 'a.test' };
    for (const proxy of ['none', 'http://p.test:3128', 'socks5://kim:${env:PASSWORD}@p.test'])
      expect(issuesOf({ ...REMOTE, proxy, tls })).to.deep.equal([]);
    expect(issuesOf({ ...REMOTE, proxy: 'ftp://kim:hush@p.test', tls: { key: 'a.key' } })).to.deep.equal([
      'error: proxy must begin with http://, https:// or socks5:// and end with host and port; or write none',
      'error: tls.key belongs to a certificate; name its file in tls.cert',
    ]);
    expect(issuesOf({ ...REMOTE, url: 'http://localhost:80', tls })).to.deep.equal([
      'warning: tls has no effect, because url does not begin with https://; remove it or correct url',
    ]);
    expect(issuesOf({ ...STDIO, proxy: 'none', tls })).to.deep.equal([
      'warning: proxy is not used by a server of type stdio; set HTTPS_PROXY in env',
      'warning: tls is not used by a server of type stdio; remove it',
    ]);
  });

  const refused: readonly (readonly [string, JsonObject, string])[] = [
    ['a missing type', { command: ['a'] }, 'error: type is required'],
    [
      'an unknown type',
      { type: 'invalidType' },
      'error: type must be one of the enum values "stdio", "streamable-http", "sse", "auto", not "invalidType"',
    ],
    [
      'stdio without command',
      { type: 'stdio' },
      'error: command is required for stdio type; write command: [executable, argument, ...]',
    ],
    [
      'an empty command',
      { type: 'stdio', command: [] },
      'error: command is required for stdio type; write command: [executable, argument, ...]',
    ],
    [
      'an empty text as command',
      { type: 'stdio', command: '' },
      'error: command is required for stdio type; write command: [executable, argument, ...]',
    ],
    [
      'a command that begins with nothing',
      { type: 'stdio', command: [''] },
      'error: command begins with an empty word; put the executable there',
    ],
    [
      'a remote type without url',
      { type: 'sse' },
      'error: url is required for streamable-http and sse types; write url: https://...',
    ],
    [
      'a url with another scheme',
      { ...REMOTE, url: 'file:///etc/passwd' },
      'error: url must be complete and begin with http:// or https://',
    ],
    [
      'a url without scheme',
      { ...REMOTE, url: 'example.org' },
      'error: url must be complete and begin with http:// or https://',
    ],
    [
      'auth on stdio',
      { ...STDIO, auth: { type: 'oauth' } },
      'error: auth configuration is only supported for remote server types (streamable-http or sse)',
    ],
    [
      'a pinned authorization server without oauth',
      { ...REMOTE, auth: { authorizationServer: { issuer: 'https://idp.example' } } },
      'error: auth.authorizationServer needs auth.type: oauth',
    ],
    [
      'an exchange without endpoint',
      { ...REMOTE, auth: { tokenExchange: { enabled: true, connectorId: 'c' } } },
      'error: auth.tokenExchange.idpTokenEndpoint is required when enabled',
    ],
    [
      'headers on stdio',
      { ...STDIO, headers: { A: 'b' } },
      'error: headers does not belong to a server of type stdio; use env instead',
    ],
    [
      'a header that would break the message',
      { ...REMOTE, headers: { 'Transfer-Encoding': 'chunked' } },
      'error: headers.Transfer-Encoding is sent by Pegboard itself; remove it',
    ],
    [
      'a header that would break the session',
      { ...REMOTE, headers: { 'mcp-session-id': 'mine' } },
      'error: headers.mcp-session-id is sent by Pegboard itself; remove it',
    ],
    [
      'a character not allowed in headers',
      { ...REMOTE, headers: { 'X-A': '€' } },
      'error: headers.X-A holds a character that no header can carry; encode it, for example in base64',
    ],
    [
      'a prefix with characters that tool names cannot contain',
      { ...STDIO, toolPrefix: '1 x' },
      'error: toolPrefix must match pattern "^[a-zA-Z][a-zA-Z0-9_-]*$", not "1 x"',
    ],
    [
      'a timeout of 0 seconds',
      { ...STDIO, timeout: 0 },
      'error: timeout must be at least 1 (minimum), not 0',
    ],
    [
      'an invalid time',
      { ...STDIO, restartRequestedAt: 'now' },
      'error: restartRequestedAt must be a time as in 2026-01-31T12:00:00Z (RFC 3339)',
    ],
    ['an unknown key', { ...STDIO, comand: 'x' }, 'error: unknown key "comand"; did you mean "command"?'],
  ];
  for (const [what, spec, issue] of refused) {
    it(`refuses ${what} and names the fix`, () => {
      const issues = issuesOf(spec);
      expect(issues.filter((one) => one.startsWith('error'))).to.have.length(1);
      expect(issues[0]).to.contain(issue);
    });
  }

  it('warns of fields that a server of its type does not use', () => {
    expect(issuesOf({ ...STDIO, url: 'https://x', auth: { type: 'none' } })).to.deep.equal([
      'warning: url is not used by a server of type stdio; remove it or set type: streamable-http',
    ]);
    expect(issuesOf({ ...REMOTE, command: ['a'], args: ['b'], cwd: '/c', idleTimeout: 9 })).to.deep.equal([
      'warning: command is not used by a server of type streamable-http; remove it or set type: stdio',
      'warning: args is not used by a server of type streamable-http; remove it or set type: stdio',
      'warning: cwd is not used by a server of type streamable-http; remove it or set type: stdio',
      'warning: idleTimeout is not used by a server of type streamable-http; remove it or set type: stdio',
    ]);
    expect(issuesOf({ ...REMOTE, env: { A: 'b' } })).to.deep.equal([
      'warning: env is not used by a server of type streamable-http; use headers instead',
    ]);
    expect(issuesOf({ ...REMOTE, instances: 'perSession', warmInstances: 1 })).to.deep.equal([
      'warning: warmInstances is not used by a server of type streamable-http; remove it or set type: stdio',
    ]);
  });

  it('refuses a revision that a transport does not have', () => {
    const sse = { ...REMOTE, type: 'sse' };
    expect(issuesOf({ ...sse, revision: 'modern' })).to.deep.equal([
      'error: revision modern does not exist over sse; remove it or set type: streamable-http',
    ]);
    for (const spec of [sse, { ...sse, revision: 'legacy' }, { ...REMOTE, revision: 'modern' }])
      expect(issuesOf(spec)).to.deep.equal([]);
  });

  it('refuses keepSession where there are no sessions, or several', () => {
    const kept = { ...REMOTE, keepSession: true };
    for (const spec of [kept, { ...kept, revision: 'legacy' }, { ...STDIO, keepSession: false }])
      expect(issuesOf(spec)).to.deep.equal([]);
    expect(issuesOf({ ...STDIO, keepSession: true })).to.deep.equal([
      'warning: keepSession is not used by a server of type stdio; remove it',
    ]);
    expect(issuesOf({ ...kept, revision: 'modern' })).to.deep.equal([
      'error: there are no sessions in revision modern; remove keepSession or revision',
    ]);
    for (const more of [{ instances: 'perSession' }, { auth: { type: 'oauth' } }])
      expect(issuesOf({ ...kept, ...more }).join()).to.match(
        /error: keepSession is for a server that serves one session, but with instances: per\w+ there are several/,
      );
  });

  it('warns of bounds on instances without instances', () => {
    const bounds = { maxInstances: 1, maxInstancesPerOwner: 1, instanceIdleTimeout: 1, warmInstances: 1 };
    const fix = 'has no effect while instances is shared; remove it or set instances: perSession';
    expect(issuesOf({ ...STDIO, ...bounds })).to.deep.equal(
      Object.keys(bounds).map((key) => `warning: ${key} ${fix}`),
    );
    expect(issuesOf({ ...STDIO, ...bounds, instances: 'perCaller' })).to.deep.equal([]);
  });

  it('warns of a toolPrefix or family that is the name of another server, with both names and the fix', () => {
    const of = (name: string, spec: JsonObject): Resource => {
      return { kind: 'MCPServer', name, spec: { ...STDIO, ...spec }, origin: { locate: () => ({}) } };
    };
    const found = (...resources: readonly Resource[]): readonly string[] =>
      (mcpServerKind.relate?.(resources) ?? []).map(
        ({ resource, path, message, severity }) =>
          `${severity} ${resource.name}.${path.join('.')}: ${message}`,
      );
    const fleet = { name: 'fleet', instanceArg: 'which' };
    expect(found(of('good', {}), of('aaa', { toolPrefix: 'good' }))).to.deep.equal([
      'warning aaa.toolPrefix: toolPrefix good is the name of server good, whose tools win where aaa has one of the same name; choose another toolPrefix for aaa',
    ]);
    expect(found(of('fleet', {}), of('aaa', { family: fleet }))).to.deep.equal([
      'warning aaa.family.name: family fleet is the name of server fleet, whose tools win where aaa has one of the same name; choose another family for aaa, or make fleet a member',
    ]);
    const fine = [
      of('a', { toolPrefix: 'a' }),
      of('b', { toolPrefix: 'same' }),
      of('c', { toolPrefix: 'same' }),
    ];
    expect(found(...fine, of('fleet', { family: fleet }), of('d', { family: fleet }))).to.deep.equal([]);
    expect(found(of('good', { toolPrefix: 'other' }), of('aaa', { toolPrefix: 'good' }))).to.deep.equal([]);
  });

  it('accepts older names of auth with a warning', () => {
    const exchange = { enabled: true, connectorId: 'c', dexTokenEndpoint: 'https://idp.example/token' };
    expect(issuesOf({ ...REMOTE, auth: { tokenExchange: exchange } })).to.deep.equal([
      'warning: auth.tokenExchange.dexTokenEndpoint is an older name; rename it to idpTokenEndpoint',
    ]);
  });

  it('refuses names that could leave the folder or break tool names', () => {
    for (const name of ['', '../a', 'a/b', 'a..b', '.a', 'a-', 'a b', 'ä', 'a'.repeat(129)]) {
      expect(issuesOf(STDIO, name).join(), name).to.match(/is not allowed|over 128 characters/);
    }
  });

  it('warns of a command line in one string and of headers sent in clear text', () => {
    expect(issuesOf({ type: 'stdio', command: 'npx -y x' })).to.deep.equal([
      'warning: command is taken as the name of one executable, spaces included; write command: [npx, -y, x] if those are arguments',
    ]);
    const headers = { 'X-Key': 'k' };
    expect(issuesOf({ ...REMOTE, url: 'http://example.org:81/', headers })).to.deep.equal([
      'warning: headers are sent to example.org:81 in clear text; use https:// if they hold secrets',
    ]);
    for (const url of ['http://localhost:3000', 'http://127.0.0.1/', 'http://[::1]:8/']) {
      expect(issuesOf({ ...REMOTE, url, headers }), url).to.deep.equal([]);
    }
  });

  it('accepts references in a url, whatever they hold, and refuses what is wrong beside them', () => {
    for (const url of [
      '${env:BASE}/mcp',
      '${env:WHOLE_URL}',
      'https://${env:HOST}:8443/${file:./segment}/mcp?key=${secret:s/k}',
    ])
      expect(issuesOf({ ...REMOTE, url }), url).to.deep.equal([]);
    expect(issuesOf({ ...REMOTE, url: 'ftp://${env:HOST}/mcp' })[0]).to.contain('must be complete');
    expect(issuesOf({ ...REMOTE, url: 'https://${env:NAME}:x@host/mcp' })[0]).to.contain('user name');
    expect(issuesOf({ ...REMOTE, url: 'https://host/${HOME}' })).to.deep.equal([
      'warning: url: ${HOME} is sent literally; write ${env:HOME}',
    ]);
    expect(issuesOf({ ...REMOTE, url: 'http://${env:HOST}/mcp', headers: { A: 'b' } })).to.deep.equal([
      'warning: headers are sent to the host of url in clear text; use https:// if they hold secrets',
    ]);
  });

  it('accepts messageUrl for sse, at the origin of url only', () => {
    const url = 'https://host/team/sse';
    const sse = { type: 'sse', url };
    expect(issuesOf({ ...sse, messageUrl: 'https://host/team/messages' })).to.deep.equal([]);
    expect(issuesOf({ type: 'sse', url: '${env:B}/sse', messageUrl: '${env:B}/messages' })).to.deep.equal([]);
    for (const messageUrl of ['https://other/messages', 'http://host/messages', '/messages'])
      expect(issuesOf({ ...sse, messageUrl })[0], messageUrl).to.contain('at the origin of url');
    expect(issuesOf({ ...REMOTE, messageUrl: url })).to.deep.equal([
      'warning: messageUrl is not used by a server of type streamable-http; remove it or set type: sse',
    ]);
  });

  it('warns of a string that resembles a reference but is not one, with the right spelling', () => {
    const values = {
      A: '${foo:bar}',
      B: '${ENV:HOME}',
      C: 'Bearer ${HOME}',
      D: '${env:}',
      E: '${hunter2}',
      F: '${env:HOME}${file:./key}',
      G: '${env:TOKEN:-sk-abcdefgh1234}',
    };
    const forms = 'references are ${env:NAME}, ${file:PATH}, ${caller:NAME} and ${secret:NAME/KEY}';
    const expected = [
      `A: \${foo:…} is sent literally; ${forms}`,
      'B: ${ENV:HOME} is sent literally; write ${env:HOME}',
      'C: ${HOME} is sent literally; write ${env:HOME}',
      `D: \${env:} names nothing; ${forms}`,
      `E: \${…} is sent literally; ${forms}`,
    ];
    expect(issuesOf({ ...STDIO, env: values })).to.deep.equal(expected.map((text) => `warning: env.${text}`));
    expect(issuesOf({ ...REMOTE, headers: values })).to.deep.equal(
      expected.map((text) => `warning: headers.${text}`),
    );
  });

  it('shows no value of env or headers, and no secret of a url or command', () => {
    const secret = 'hunter2';
    const number = 48151623;
    const texts = [
      issuesOf({ type: 'stdio', command: `npx server --token ${secret}` }),
      issuesOf({ type: 'stdio', command: ['npx', '--token', number] }),
      issuesOf({ ...STDIO, args: ['--token', { [secret]: number }] }),
      issuesOf({ ...STDIO, command: { [secret]: secret } }),
      issuesOf({ ...REMOTE, url: [secret] }),
      issuesOf({ ...STDIO, env: { A: 7, B: [secret] } }),
      issuesOf({ ...STDIO, env: { A: `${secret}\0` } }),
      issuesOf({ ...REMOTE, headers: { A: { b: secret } } }),
      issuesOf({ ...REMOTE, headers: { A: `${secret}\r\nX: y` } }),
      issuesOf({ ...REMOTE, url: `https://me:${secret}@example.org/` }),
    ];
    for (const issues of texts) expect(issues).to.have.length.above(0);
    expect(texts.flat().join()).not.to.match(/hunter2|48151623/);
  });
});
