import { expect } from 'chai';
import {
  checkRedirectUri,
  checkRedirectUris,
  isLoopbackRedirect,
} from '../../../../plugins/auth-server/clients/redirectUri.ts';
import type { RedirectPolicy } from '../../../../plugins/auth-server/clients/redirectUri.ts';
import { OAuthError } from '../../../../plugins/kit/oauth/oauthError.ts';
import { PUBLIC_ADDRESS } from '../../../support/httpsSite.ts';

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'app.example': [PUBLIC_ADDRESS, '2606:4700::1'],
  'inner.example': ['10.0.0.1'],
  'mixed.example': [PUBLIC_ADDRESS, '192.168.1.1'],
  'mapped.example': ['::ffff:10.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'both.example': ['169.254.169.254', '10.0.0.1'],
  'empty.example': [],
  '127.0.0.1.nip.io': ['127.0.0.1'],
  'localhost.evil.example': ['127.0.0.1'],
};
const NO_FRAGMENT = 'redirect_uri: fragments are not allowed (OAuth 2.0 Security BCP)';
const NOT_HTTPS = 'redirect_uri: HTTPS is required in production (HTTP only allowed for localhost)';
const PRIVATE = 'redirect_uri: private IP addresses are not allowed (SSRF protection)';
const LINK_LOCAL = 'redirect_uri: link-local addresses are not allowed (cloud SSRF protection)';
const UNSPECIFIED = 'redirect_uri: unspecified addresses (0.0.0.0, ::) are not allowed';
const REBINDING = 'redirect_uri: hostname resolves to private IP address (DNS rebinding protection)';
const MALFORMED = 'redirect_uri: invalid URI format';
const USERINFO = 'redirect_uri: user information is not allowed';

const DEFAULTS = {
  allowLocalhostRedirectURIs: true,
  allowWellKnownRedirectURIs: false,
  allowPrivateIPRedirectURIs: false,
  trustedPublicRegistrationSchemes: [],
};

describe('auth-server: redirect URIs', () => {
  const asked: string[] = [];
  const names = new Map(Object.entries(NAMES));
  const policyWith = (settings: Partial<RedirectPolicy['settings']> = {}): RedirectPolicy => ({
    settings: { ...DEFAULTS, ...settings },
    resolve: (host) => {
      asked.push(host);
      const found = names.get(host);
      return found === undefined ? Promise.reject(new Error('ENOTFOUND')) : Promise.resolve(found);
    },
  });
  const refusalOf = async (uri: string, policy = policyWith()): Promise<string | undefined> => {
    const [atRegistration, atAuthorize] = await Promise.all(
      (['invalid_redirect_uri', 'invalid_request'] as const).map((code) =>
        checkRedirectUri(uri, code, policy).then(
          () => undefined,
          (error: unknown) => {
            expect(error).instanceOf(OAuthError).include({ status: 400, error: code });
            return (error as OAuthError).message;
          },
        ),
      ),
    );
    expect(atRegistration).equal(atAuthorize);
    return atRegistration;
  };
  const expectEach = async (
    expected: Readonly<Record<string, string | undefined>>,
    policy = policyWith(),
  ) => {
    const found = await Promise.all(Object.keys(expected).map((uri) => refusalOf(uri, policy)));
    expect(Object.fromEntries(Object.keys(expected).map((uri, index) => [uri, found[index]]))).deep.equal(
      expected,
    );
  };
  beforeEach(() => (asked.length = 0));

  it('takes https on public hosts, loopback with http and https, and private-use schemes', async () => {
    const good = [
      ...[
        'https://app.example/cb',
        'https://app.example./cb?a=b',
        'HTTPS://APP.EXAMPLE:8443/Cb',
        'https://8.8.8.8/cb',
      ],
      ...[
        'http://localhost:3000/callback',
        'http://127.0.0.1/',
        'http://127.8.9.1:1/cb',
        'http://[::1]:33418/',
        'https://localhost/cb',
      ],
      ...['com.example.app:/oauth', 'cursor://anysphere.cursor-mcp/oauth/callback', 'vscode://x.y/cb'],
    ];
    await expectEach(Object.fromEntries(good.map((uri) => [uri, undefined])));
    expect(new Set(asked)).deep.equal(new Set(['app.example']));
  });

  it('T3: refuses a host that was public at the registration and is private now', async () => {
    names.set('moving.example', [PUBLIC_ADDRESS]);
    expect(await refusalOf('https://moving.example/cb')).equal(undefined);
    names.set('moving.example', ['10.0.0.1']);
    expect(await refusalOf('https://moving.example/cb')).equal(REBINDING);
    names.set('moving.example', [PUBLIC_ADDRESS]);
    expect(await refusalOf('https://moving.example/cb')).equal(undefined);
  });

  it('T4: refuses user information, no scheme, and hosts that only look like loopback', () =>
    expectEach({
      'https://user@app.example/cb': USERINFO,
      'https://@app.example/cb': USERINFO,
      'https://localhost:80@app.example/cb': USERINFO,
      'https://app.example/cb@2': undefined,
      '//app.example/cb': MALFORMED,
      '/cb': MALFORMED,
      'http://localhost.evil.example/cb': NOT_HTTPS,
      'https://localhost.evil.example/cb': REBINDING,
      'http://127.0.0.1.nip.io/cb': NOT_HTTPS,
      'https://127.0.0.1.nip.io/cb': REBINDING,
      'http://app.example/cb': NOT_HTTPS,
      'http://10.0.0.1/cb': NOT_HTTPS,
    }));

  it('T5: refuses schemes that run or show their content, and schemes that no application owns', () =>
    expectEach({
      ...Object.fromEntries(
        ['javascript', 'data', 'vbscript', 'file', 'about', 'blob', 'ftp'].map((scheme) => [
          `${scheme}:alert(1)`,
          `redirect_uri: scheme '${scheme}' is blocked for security reasons`,
        ]),
      ),
      'JavaScript://app.example/%0aalert(1)':
        "redirect_uri: scheme 'javascript' is blocked for security reasons",
      'custom://cb': "redirect_uri: scheme 'custom' is not allowed",
    }));

  it('T5: takes a scheme that is trusted by the configuration, unless it is a blocked one', () =>
    expectEach(
      {
        'custom://cb': undefined,
        'other://cb': "redirect_uri: scheme 'other' is not allowed",
        'javascript:alert(1)': "redirect_uri: scheme 'javascript' is blocked for security reasons",
      },
      policyWith({ trustedPublicRegistrationSchemes: ['custom', 'javascript'] }),
    ));

  it('T6: refuses fragments, also empty ones', () =>
    expectEach({
      'https://app.example/cb#x': NO_FRAGMENT,
      'https://app.example/cb#': NO_FRAGMENT,
      'com.example.app:/cb#x': NO_FRAGMENT,
      'https://app.example/cb%23x': undefined,
    }));

  it('refuses what only a lenient parser reads', () =>
    expectEach(
      Object.fromEntries(
        [
          ...[
            '',
            'not a uri',
            'https:',
            'https://',
            'https:app.example/cb',
            'https:/app.example/cb',
            'https:///app.example',
          ],
          ...[
            ' https://app.example/cb',
            'https://app.example/c b',
            'https://app.example/\ncb',
            'https://app.example\\cb',
          ],
          ...[
            'https://app.example/"><b>',
            'https://äpp.example/',
            `https://app.example/${'x'.repeat(2_048)}`,
          ],
        ].map((uri) => [uri, MALFORMED]),
      ),
    ));

  it('refuses addresses and names that are not public', async () => {
    await expectEach({
      'https://10.0.0.1/cb': PRIVATE,
      'https://167772161/cb': PRIVATE,
      'https://[::ffff:192.168.0.1]/cb': PRIVATE,
      'https://[fd00::1]/cb': PRIVATE,
      'https://224.0.0.1/cb': PRIVATE,
      'https://169.254.169.254/cb': LINK_LOCAL,
      'https://[fe80::1]/cb': LINK_LOCAL,
      'https://0.0.0.0/cb': UNSPECIFIED,
      'https://[::]/cb': UNSPECIFIED,
      'https://inner.example/cb': REBINDING,
      'https://mixed.example/cb': REBINDING,
      'https://mapped.example/cb': REBINDING,
      'https://both.example/cb': REBINDING,
      'https://metadata.example/cb':
        'redirect_uri: hostname resolves to link-local address (cloud SSRF protection)',
      'https://unknown.example/cb': 'redirect_uri: hostname could not be resolved (DNS validation required)',
      'https://empty.example/cb': 'redirect_uri: hostname could not be resolved (DNS validation required)',
    });
  });

  it('opens only its own door with each switch', async () => {
    await expectEach(
      {
        'https://10.0.0.1/cb': undefined,
        'https://169.254.169.254/cb': undefined,
        'https://inner.example/cb': undefined,
        'https://0.0.0.0/cb': UNSPECIFIED,
        'http://10.0.0.1/cb': NOT_HTTPS,
        'http://inner.example/cb': NOT_HTTPS,
      },
      policyWith({ allowPrivateIPRedirectURIs: true }),
    );
    const noLoopback = 'redirect_uri: loopback addresses are not allowed';
    for (const allowPrivateIPRedirectURIs of [false, true]) {
      await expectEach(
        {
          'http://localhost/cb': noLoopback,
          'https://localhost./cb': noLoopback,
          'http://127.0.0.1:1/cb': noLoopback,
          'http://[::1]/cb': noLoopback,
          'https://[::ffff:127.0.0.1]/cb': noLoopback,
          'https://app.example/cb': undefined,
        },
        policyWith({ allowLocalhostRedirectURIs: false, allowPrivateIPRedirectURIs }),
      );
    }
  });

  it('checks all URIs of a registration, of which there is at least one', async () => {
    const refused = (uris: readonly string[]): Promise<unknown> =>
      checkRedirectUris(uris, policyWith()).catch((error: unknown) => (error as OAuthError).body);
    expect(await refused([])).deep.equal({
      error: 'invalid_redirect_uri',
      error_description: 'redirect_uri: at least one redirect URI is required',
    });
    expect(await refused(['https://app.example/cb', 'http://localhost/'])).equal(undefined);
    expect(await refused(['http://localhost/', 'https://inner.example/cb'])).deep.include({
      error_description: REBINDING,
    });
  });

  it('knows a redirect to the machine of the person', () => {
    for (const uri of ['http://localhost:1/cb', 'http://127.0.0.1/', 'https://[::1]/'])
      expect(isLoopbackRedirect(uri), uri).equal(true);
    for (const uri of ['', 'http://localhost.evil.example/', 'https://app.example/', 'cursor://localhost/'])
      expect(isLoopbackRedirect(uri), uri).equal(false);
  });
});
