// A real OpenID provider with two people, on loopback. Everything it knows is in memory: restarted, it has forgotten who signed in.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { URLSearchParams } from 'node:url';
import { parseArgs } from 'node:util';
import { Provider } from 'oidc-provider';
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js';
import { InvalidTarget } from 'oidc-provider/lib/helpers/errors.js';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '9090' },
    gateway: { type: 'string', default: 'http://localhost:8090' },
    'secret-file': { type: 'string', default: join(import.meta.dirname, 'state', 'client-secret') },
  },
});
const issuer = `http://localhost:${values.port}`;
const SCOPES = ['openid', 'profile', 'email', 'groups', 'offline_access'];
const PEOPLE = {
  alice: { password: 'wonderland', name: 'Alice Adams', groups: ['admins', 'staff'] },
  bob: { password: 'builder', name: 'Bob Brown', groups: ['staff'] },
};

/** The secret that Pegboard has too: config.yaml names the same file. */
function clientSecret() {
  const path = values['secret-file'];
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' });
  }
  return readFileSync(path, 'utf8');
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const day = 86_400;
const provider = new Provider(issuer, {
  adapter: createMemoryAdapter(),
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' }] },
  cookies: { keys: [randomBytes(32).toString('hex')] },
  scopes: SCOPES,
  claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'], groups: ['groups'] },
  // Name, e-mail and groups in the id_token, not at /me only.
  conformIdTokenClaims: false,
  clients: [
    {
      client_id: 'pegboard',
      client_secret: clientSecret(),
      redirect_uris: [`${values.gateway}/oauth/callback`],
      grant_types: ['authorization_code', 'refresh_token'],
    },
  ],
  features: {
    devInteractions: { enabled: false },
    // Where Pegboard signs people in at notes.mjs, it registers itself.
    registration: { enabled: true },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: (_, resource) => {
        if (new URL(resource).hostname !== 'localhost')
          throw new InvalidTarget('not a resource of this house');
        return { scope: 'notes', accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } } };
      },
    },
  },
  ttl: {
    AccessToken: 3600,
    IdToken: 3600,
    RefreshToken: 30 * day,
    Session: day,
    Grant: 30 * day,
    Interaction: 600,
  },
  issueRefreshToken: () => true,
  expiresWithSession: () => false,
  findAccount: (_, accountId) => {
    const { name, groups } = PEOPLE[accountId] ?? {};
    const email = { email: `${accountId}@example.com`, email_verified: true };
    return name && { accountId, claims: () => ({ sub: accountId, name, groups, ...email }) };
  },
  // Pegboard belongs to the house: people are not asked what it may know and do.
  loadExistingGrant: async ({ oidc }) => {
    const grant = new provider.Grant({
      accountId: oidc.session.accountId,
      clientId: oidc.client.clientId,
    });
    grant.addOIDCScope(SCOPES.join(' '));
    for (const resource of [oidc.params.resource ?? []].flat()) grant.addResourceScope(resource, 'notes');
    await grant.save();
    return grant;
  },
  renderError: (ctx, { error, error_description: why }) => {
    ctx.type = 'html';
    ctx.body = page(`<h1>${escaped(error)}</h1><p>${escaped(why ?? '')}</p>`);
  },
});

/** The pages between the request of a sign-in and its answer. */
async function interact(req, res) {
  const { prompt } = await provider.interactionDetails(req, res);
  const finish = (result) => provider.interactionFinished(req, res, result);
  if (prompt.name === 'consent') return finish({ consent: {} });
  if (req.method !== 'POST') return send(res, loginPage());
  const form = new URLSearchParams(await text(req));
  const name = form.get('name') ?? '';
  if (form.has('cancel')) return finish({ error: 'access_denied', error_description: 'cancelled' });
  if (Object.hasOwn(PEOPLE, name) && PEOPLE[name].password === form.get('password'))
    return finish({ login: { accountId: name } });
  return send(res, loginPage('No one here has this name and password.'), 401);
}

function loginPage(problem = '') {
  return page(`<h1>Sign in</h1>
<p>This is the identity provider of the example.</p>
<form method="post">
<p role="alert">${escaped(problem)}</p>
<label>Name <input name="name" autocomplete="username" autofocus></label>
<label>Password <input name="password" type="password" autocomplete="current-password"></label>
<button>Sign in</button> <button name="cancel" value="yes">Cancel</button>
</form>`);
}
function page(body) {
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Example identity provider</title>
<meta name="viewport" content="width=device-width">
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 22rem; margin: 4rem auto; padding: 0 1rem }
label { display: block; margin: 1rem 0 } input { display: block; width: 100%; font: inherit; box-sizing: border-box; padding: .4rem }
button { font: inherit; padding: .4rem 1rem } [role=alert] { color: #b00020 }
</style>
${body}
</html>`;
}
function escaped(value) {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
function send(res, html, status = 200) {
  res
    .writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
    .end(html);
}

const handle = provider.callback();
createServer((req, res) => {
  if (!req.url.startsWith('/interaction/')) return handle(req, res);
  // The cookie of the interaction is missing or has expired.
  return interact(req, res).catch((error) => send(res, page(`<h1>${escaped(error.message)}</h1>`), 400));
}).listen(Number(values.port), 'localhost', () => {
  console.log(`identity provider: ${issuer}`);
  for (const [name, { password, groups }] of Object.entries(PEOPLE))
    console.log(`${name}, password ${password}, in ${groups.join(' and ')}`);
});
