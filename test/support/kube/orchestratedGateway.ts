import { readFileSync } from 'node:fs';
import { mcpClient } from '../../contract/index.ts';
import type { McpClient } from '../../contract/index.ts';
import { startAuthServer } from '../authServer.ts';
import type { AuthServer } from '../authServer.ts';
import { newBrowser } from '../browser.ts';
import { selfSigned } from '../certificate.ts';
import { defer } from '../cleanup.ts';
import { makeDirectory } from '../directory.ts';
import type { Claims } from '../identityProvider.ts';
import { signedIn } from '../people.ts';
import type { Person } from '../people.ts';
import type { ControlPlane } from './controlPlane.ts';
import { AUDIENCE, trustedIssuer } from './kubeIssuer.ts';
import type { Issuer } from './kubeIssuer.ts';
import type { KubeNamespace } from './kubeNamespace.ts';
import { serviceUser } from './serviceUser.ts';

export interface Orchestrated {
  readonly auth: AuthServer;
  /** The user name of the service. */
  readonly service: string;
  /** A session of the holder of an id_token of the plane's issuer. */
  readonly session: (idToken: string) => Promise<McpClient>;
  /** The identity provider at which people sign in to the gateway. */
  readonly provider: Issuer;
  readonly signIn: (subject: string, claims?: Claims) => Promise<Person>;
}

/** A gateway of a namespace in this process, with no more rights than it needs; people present id_tokens of the plane's issuer. */
export async function startOrchestrated(
  plane: ControlPlane,
  namespace: KubeNamespace,
): Promise<Orchestrated> {
  const { name: service, kubeconfig } = await serviceUser(plane, namespace);
  process.env['KUBECONFIG'] = kubeconfig;
  defer(() => delete process.env['KUBECONFIG']);
  const tls = selfSigned();
  const ca = readFileSync(tls.certificate, 'utf8');
  const extraCaFile = makeDirectory({ 'ca.pem': plane.issuer.ca + ca }).at('ca.pem');
  const trusted = trustedIssuer(plane.issuer, AUDIENCE, 'another');
  const auth = await startAuthServer({
    builtIns: 'all',
    provider: { audiences: [AUDIENCE], tls },
    settings: {
      orchestrator: true,
      namespace: namespace.name,
      aggregator: { extraCaFile },
      plugins: { 'vault-memory': false, 'vault-file': {} },
    },
    config: { trustedIssuers: [trusted] },
  });
  return {
    auth,
    service,
    session: (idToken) => mcpClient(auth.base, { authorization: `Bearer ${idToken}` }),
    provider: { url: auth.provider.url, ca },
    signIn: (subject, claims) => signedIn(auth, subject, claims, newBrowser(ca)),
  };
}
