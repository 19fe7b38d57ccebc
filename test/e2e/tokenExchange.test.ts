import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { decodeJwt } from 'jose';
import { parse, stringify } from 'yaml';
import { registerAt, settingsFor, SignInClient } from '../support/authServer.ts';
import { makeDirectory } from '../support/directory.ts';
import { startDownstreamProvider } from '../support/downstreamProvider.ts';
import type { DownstreamProvider } from '../support/downstreamProvider.ts';
import { freePort } from '../support/everything.ts';
import { startIdentityProvider } from '../support/identityProvider.ts';
import type { IdentityProvider } from '../support/identityProvider.ts';
import { packedFolder } from '../support/packed.ts';
import { servePegboard } from '../support/serve.ts';

const run = promisify(execFile);
const SECRET = 'secret of portal';

interface Config {
  readonly aggregator: { readonly oauth: { readonly server: Server } };
}
interface Server {
  readonly trustedIssuers: readonly [object];
  readonly tokenExchangeBroker: { readonly targets: { readonly 'cluster-b': object } };
}

/** The first block of that language in the plugin's README, as it is shipped. */
function block(language: string): string {
  const readme = readFileSync(join(packedFolder(), 'plugins/auth-exchange/README.md'), 'utf8');
  return new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1] ?? '';
}

describe('e2e: token exchange', function () {
  this.timeout(60_000);

  it('works as the README shows: a person signs in, and a portal reaches a second provider in their name', async () => {
    const port = await freePort();
    const base = `http://localhost:${port}`;
    const provider = await startIdentityProvider({ redirectUris: [`${base}/oauth/callback`] });
    const connector = { issuer: provider.url, jwksUrl: `${provider.url}/jwks` };
    const downstream = await startDownstreamProvider({ connectors: { 'cluster-a': connector } });
    const directory = makeDirectory({
      'config.yaml': configFor(base, provider, downstream),
      'secrets/portal': SECRET,
      'secrets/cluster-b': downstream.secret,
    });
    const pegboard = await servePegboard(directory.path, ['--port', String(port)]);
    await pegboard.logged('identity provider found');
    const person = new SignInClient(base, await registerAt(base));
    const { body } = await person.redeem(await person.code({ scope: 'openid email' }));
    const idToken = String(body['id_token']);
    expect(decodeJwt(idToken)).to.include({ iss: provider.url, sub: 'alice' });

    const command = block('sh').replace('https://gateway.example.com', base);
    const { stdout } = await run('sh', ['-c', `curl() { command curl -s "$@"; }\n${command}`], {
      env: { ...process.env, SECRET, TOKEN: idToken },
    });
    const answer = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
    expect(answer, stdout).to.include({ token_type: 'Bearer', scope: 'openid profile email groups' });
    const issued = decodeJwt(String(answer['access_token']));
    expect(issued).to.include({ iss: downstream.url, sub: 'alice' });
    expect(issued['groups']).to.deep.equal(['staff']);

    const secrets = [SECRET, downstream.secret, idToken, String(answer['access_token'])];
    const log = JSON.stringify(pegboard.lines);
    expect(secrets.filter((secret) => log.includes(secret))).to.deep.equal([]);
    await pegboard.stop();
  });
});

/** The configuration of the README with the addresses of this test. */
function configFor(base: string, provider: IdentityProvider, downstream: DownstreamProvider): string {
  const shown = parse(block('yaml')) as Config;
  const { server } = shown.aggregator.oauth;
  const { clientId, idpTokenEndpoint } = downstream.target();
  const issuer = {
    ...server.trustedIssuers[0],
    issuer: provider.url,
    jwksUrl: `${provider.url}/jwks`,
    allowPrivateIPJWKS: true,
    allowedAudiences: [provider.config.clientId],
  };
  const target = { ...server.tokenExchangeBroker.targets['cluster-b'], clientId, idpTokenEndpoint };
  return stringify({
    aggregator: {
      oauth: {
        server: {
          ...settingsFor(base, provider).oauth.server,
          trustedIssuers: [issuer],
          tokenExchangeBroker: {
            ...server.tokenExchangeBroker,
            targets: { 'cluster-b': target },
            allowPrivateIP: true,
          },
        },
      },
    },
  });
}
