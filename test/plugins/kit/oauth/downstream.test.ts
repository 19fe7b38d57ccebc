import { UnsecuredJWT } from 'jose';
import { expect } from 'chai';
import { downstreamAt, goodAnswer } from '../../../support/downstreamAt.ts';
import type { DownstreamAt } from '../../../support/downstreamAt.ts';
import { typeUri } from '../../../support/exchangeGateway.ts';
import { serveWithOutages } from '../../../support/serveWithOutages.ts';
import type { OutageServer } from '../../../support/serveWithOutages.ts';

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}
const UNUSABLE = { status: 502, error: 'server_error' };
const REFUSED = { status: 400, error: 'invalid_grant', reason: 'downstream-refused' };
const JSON_TYPE = { 'content-type': 'application/json' };

describe('auth-exchange: the answer of a downstream provider', () => {
  let server: OutageServer;
  let answer: Answer = {};
  let at: DownstreamAt;
  before(async () => {
    server = await serveWithOutages((_, res) => {
      const { status = 200, headers = JSON_TYPE, body = '' } = answer;
      res.writeHead(status, headers).end(body);
    });
  });
  beforeEach(() => {
    at = downstreamAt(server.url);
    good();
  });

  const good = (changes: Readonly<Record<string, unknown>> = {}): void => {
    answer = { body: JSON.stringify(goodAnswer(server.url, changes)) };
  };
  const refusing = (status: number, error: string, headers: Readonly<Record<string, string>> = {}): void => {
    answer = { status, headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify({ error }) };
  };
  const signed = (claims: Readonly<Record<string, unknown>>): string =>
    new UnsecuredJWT({ iss: server.url, ...claims }).encode();

  describe('the issuer of its token', () => {
    it('T83: is the one that is expected; a slash at the end does not matter', async () => {
      expect(await at.exchange()).include({ scope: 'openid groups', type: typeUri('id_token') });
      good({ access_token: signed({ iss: `${server.url}/` }) });
      expect((await at.exchange()).token).a('string');
    });

    for (const [what, iss] of [
      ['another one', 'https://evil.example.com'],
      ['one that begins like it', 'http://127.0.0.1:1'],
      ['absent', undefined],
      ['not a text', ['http://127.0.0.1']],
      ['empty', ''],
    ] as const)
      it(`T83: must not be ${what}`, async () => {
        good({ access_token: signed({ iss }) });
        expect(await at.refusal()).include({ ...UNUSABLE, reason: 'downstream-other-issuer' });
        expect(at.detail()).include(server.url).and.include('expectedIssuer');
      });

    it('T83: must be known: an opaque or an encrypted token is refused', async () => {
      for (const access_token of ['opaque-4711', 'a.b.c', 'a.b.c.d.e', `${signed({})}.x`, '.']) {
        good({ access_token });
        expect(await at.refusal(), access_token).include({ ...UNUSABLE, reason: 'downstream-opaque-token' });
      }
    });

    it('is not asked of an opaque token where expectedIssuer is not written, as it is of a JWT', async () => {
      for (const expectedIssuer of ['', '/']) {
        at = downstreamAt(server.url, { expectedIssuer });
        for (const access_token of ['opaque-4711', 'a.b.c', 'a.b.c.d.e']) {
          good({ access_token, issued_token_type: typeUri('access_token') });
          expect(await at.exchange()).include({ token: access_token, type: typeUri('access_token') });
          good({ access_token, issued_token_type: undefined, scope: 'groups' });
          const { expiresAt, ...token } = await at.exchange();
          expect(token).deep.equal({ token: access_token, type: typeUri('access_token'), scope: 'groups' });
          expect(expiresAt).within(Date.now() + 590_000, Date.now() + 600_000);
          good({ access_token, scope: 'openid admin' });
          expect(await at.refusal()).include({ ...UNUSABLE, reason: 'downstream-wider-scope' });
        }
        good({ access_token: signed({ iss: 'https://evil.example.com' }) });
        expect(await at.refusal()).include({ ...UNUSABLE, reason: 'downstream-other-issuer' });
      }
    });

    it('may be another one than the address of the endpoint', async () => {
      at = downstreamAt(server.url, { expectedIssuer: 'https://login.example.com' });
      expect(await at.refusal()).include({ reason: 'downstream-other-issuer' });
      good({ access_token: signed({ iss: 'https://login.example.com' }) });
      expect((await at.exchange()).token).a('string');
    });

    it('costs no time when it consists of slashes', async () => {
      at = downstreamAt(server.url, {}, { maxBytes: 2_000_000 });
      good({ access_token: signed({ iss: `${'/'.repeat(700_000)}x` }) });
      expect(await at.refusal()).include({ reason: 'downstream-other-issuer' });
    });
  });

  describe('its scope', () => {
    it('may be narrower, and is handed on', async () => {
      good({ scope: 'groups' });
      expect((await at.exchange()).scope).equal('groups');
    });

    it('means the one that was asked for if it is empty', async () => {
      for (const scope of ['', ' ']) {
        good({ scope });
        expect((await at.exchange()).scope).equal('openid groups');
      }
    });

    it('must not be wider', async () => {
      for (const scope of ['openid groups admin', 'openid,groups', 'OPENID']) {
        good({ scope });
        expect(await at.refusal()).include({ ...UNUSABLE, reason: 'downstream-wider-scope' });
      }
    });

    it('is handed on with single spaces, and each part once', async () => {
      good({ scope: `${'openid '.repeat(1_000)} groups` });
      expect((await at.exchange()).scope).equal('openid groups');
    });
  });

  describe('its lifetime', () => {
    const seconds = (): number => Math.floor(Date.now() / 1_000);

    it('must not be over', async () => {
      for (const changes of [
        { expires_in: 0 },
        { access_token: signed({ exp: seconds() - 1 }) },
        { access_token: signed({ exp: 0 }) },
      ]) {
        good(changes);
        expect(await at.refusal()).include({ ...UNUSABLE, reason: 'downstream-expired' });
      }
    });

    it('must be a number that makes sense', async () => {
      for (const expires_in of [-1, 'soon', {}]) {
        good({ expires_in });
        expect(await at.refusal(), JSON.stringify(expires_in)).include(UNUSABLE);
      }
      for (const exp of ['tomorrow', {}, true]) {
        good({ access_token: signed({ exp }) });
        expect(await at.refusal(), JSON.stringify(exp)).include({
          ...UNUSABLE,
          reason: 'downstream-expired',
        });
      }
    });

    it('is at most a year, and a minute if it has no end', async () => {
      for (const [text, least, most] of [
        ['1e300', 31_000_000_000, 31_536_000_000],
        ['1e306', 50_000, 60_000],
      ] as const) {
        answer = {
          body: JSON.stringify(goodAnswer(server.url, { access_token: signed({}) })).replace('600', text),
        };
        expect((await at.exchange()).expiresAt - Date.now()).within(least, most);
      }
    });

    it('may be a text', async () => {
      good({ expires_in: '60' });
      expect((await at.exchange()).expiresAt - Date.now()).within(50_000, 60_000);
    });
  });

  describe('the type of its token', () => {
    for (const token_type of ['Bearer', 'bearer', 'N_A', 'n_a'])
      it(`may be ${token_type}`, async () => {
        good({ token_type });
        expect((await at.exchange()).token).a('string');
      });

    for (const token_type of ['DPoP', 'mac', '', undefined, 1])
      it(`must not be ${String(token_type)}, because it would be handed on as Bearer`, async () => {
        good({ token_type });
        expect(await at.refusal()).include(UNUSABLE);
      });

    it('must not be a refresh token, or unknown', async () => {
      for (const name of ['refresh_token', 'saml2', '']) {
        good({ issued_token_type: typeUri(name) });
        expect(await at.refusal()).include({ ...UNUSABLE, reason: 'downstream-token-type' });
      }
    });

    it('does not depend on what is beside it', async () => {
      good({ refresh_token: null, id_token: 4711, extra: { deep: [1] } });
      expect((await at.exchange()).token).a('string');
    });
  });

  describe('that is not one of OAuth', () => {
    for (const [what, bad] of [
      ['HTML', { headers: { 'content-type': 'text/html' }, body: '<html>sign in</html>' }],
      ['JSON of another type', { headers: { 'content-type': 'text/plain' }, body: '{}' }],
      ['empty', {}],
      ['null', { body: 'null' }],
      ['a list', { body: '[]' }],
      ['a text', { body: '"token"' }],
      ['without a token', { body: '{"token_type":"bearer"}' }],
      ['an error with 200', { body: '{"error":"invalid_grant"}' }],
      ['deep', { body: `${'['.repeat(40_000)}${']'.repeat(40_000)}` }],
      ['201', { status: 201, body: '{}' }],
      ['204', { status: 204 }],
      ['404 with HTML', { status: 404, headers: { 'content-type': 'text/html' }, body: '<html>' }],
      ['304', { status: 304 }],
    ] as const)
      it(`is refused: ${what}`, async () => {
        answer = bad;
        expect(await at.refusal()).include(UNUSABLE);
        expect(at.log.having('gave no token', 'warn')).lengthOf(1);
      });

    it('is not shown in the log', async () => {
      for (const body of ['secret-4711', '{"access_token": secret-4711}', 'secret-4711'.repeat(100)]) {
        answer = { body };
        await at.refusal();
        answer = { status: 400, body };
        await at.refusal();
        refusing(400, body);
        await at.refusal();
        refusing(400, `invalid_grant\nsecret-4711`);
        await at.refusal();
      }
      expect(JSON.stringify(at.log.records)).not.include('4711').and.not.include('secret-');
    });
  });

  describe('a refusal', () => {
    it('of the subject is invalid_grant, as Dex says it too', async () => {
      for (const [status, error] of [
        [400, 'invalid_grant'],
        [401, 'access_denied'],
        [403, 'access_denied'],
        [401, 'invalid_grant'],
      ] as const) {
        refusing(status, error);
        expect(await at.refusal()).include({ ...REFUSED, text: 'subject token invalid or rejected' });
        expect(at.detail()).equal(`status ${status} ${error}`);
      }
      expect(at.log.having('gave no token', 'warn')).lengthOf(0);
    });

    it('of the request is invalid_grant for the client, and for the operator a warning with the keys to look at', async () => {
      for (const error of [
        'invalid_request',
        'invalid_scope',
        'invalid_target',
        'unsupported_grant_type',
        'own_code',
      ]) {
        refusing(400, error);
        expect(await at.refusal()).include(REFUSED);
        expect(at.log.having('gave no token').at(-1)?.level).equal('warn');
        expect(at.detail()).match(new RegExp(`^status 400 ${error}; .*connectorId.*scopes`));
      }
    });

    it('of our credentials is 503, and the log says so', async () => {
      for (const [status, error] of [
        [400, 'invalid_client'],
        [401, 'invalid_client'],
        [400, 'unauthorized_client'],
        [401, ''],
      ] as const) {
        refusing(status, error);
        const found = await at.refusal();
        expect(found).include({ status: 503, reason: 'downstream-credentials-refused', retryAfter: '5' });
        expect(found.text).not.include('client_id');
        expect(at.detail()).equal(`status ${status} ${error}`.trim());
      }
    });

    for (const [given, answered] of [
      [undefined, '5'],
      ['30', '30'],
      ['100000', '300'],
      ['0', '5'],
      ['-1', '5'],
      ['1.5', '5'],
      ['Infinity', '5'],
      ['Wed, 21 Oct 2037 07:28:00 GMT', '5'],
      ['5, 6', '5'],
      ['soon', '5'],
    ])
      it(`is 503 when it is busy; Retry-After: ${given ?? 'none'} becomes ${answered}`, async () => {
        for (const [status, reason] of [
          [429, 'downstream-busy'],
          [503, 'downstream-status-5xx'],
        ] as const) {
          refusing(status, '', given === undefined ? {} : { 'retry-after': given });
          expect(await at.refusal()).include({
            status: 503,
            error: 'temporarily_unavailable',
            reason,
            retryAfter: answered,
          });
        }
      });

    it('of the provider itself is 503 whatever its error says', async () => {
      for (const status of [500, 502, 504, 599]) {
        refusing(status, 'invalid_grant');
        expect(await at.refusal()).include({ status: 503, reason: 'downstream-status-5xx' });
      }
    });
  });
});
