import { generateKeyPairSync, randomUUID } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { SignJWT, exportJWK } from 'jose';
import { httpsSite } from '../httpsSite.ts';

/** That tokens must be for. */
export const AUDIENCE = 'dex-k8s-authenticator';
/** The prefix of names and groups of its people, where the API server names them. */
export const PREFIX = 'oidc:';

export interface Issuer {
  /** `https://localhost:<port>`: API servers accept no issuer without TLS. */
  readonly url: string;
  /** PEM of its certificate. */
  readonly ca: string;
}
export interface KubeIssuer extends Issuer {
  /** An id_token for an hour; the API server sees `oidc:<email>` in `oidc:<group>`s. @param claims more or other ones */
  readonly idToken: (email: string, claims?: Readonly<Record<string, unknown>>) => Promise<string>;
  /** Signs with a new key from now on; the old one is not published any more. */
  readonly rotateKeys: () => void;
}

interface Key {
  readonly kid: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** An OpenID issuer as an API server sees one: discovery and keys. */
export async function startKubeIssuer(): Promise<KubeIssuer> {
  let key = newKey();
  const site = await httpsSite((req, res) => {
    void documentAt(req.url ?? '').then((document) => {
      if (document === undefined) return res.writeHead(404).end();
      return res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
    });
  });
  const url = `https://localhost:${site.port}`;
  const ca = site.ca.join('');
  const documentAt = async (path: string): Promise<object | undefined> => {
    if (path === '/.well-known/openid-configuration') {
      const signs = { id_token_signing_alg_values_supported: ['RS256'], subject_types_supported: ['public'] };
      return { issuer: url, jwks_uri: `${url}/jwks`, response_types_supported: ['code'], ...signs };
    }
    const { kid, publicKey } = key;
    return path === '/jwks'
      ? { keys: [{ ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' }] }
      : undefined;
  };
  return {
    url,
    ca,
    idToken: (email, claims = {}) => {
      const now = Math.floor(Date.now() / 1_000);
      const honest = { iss: url, sub: email, aud: AUDIENCE, email, iat: now, exp: now + 3_600 };
      return new SignJWT({ ...honest, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: key.kid })
        .sign(key.privateKey);
    },
    rotateKeys: () => {
      key = newKey();
    },
  };
}

/** An entry of `trustedIssuers` for a gateway that accepts its id_tokens as bearer tokens. */
export function trustedIssuer({ url }: Issuer, ...allowedAudiences: readonly string[]) {
  const keys = { jwksUrl: `${url}/jwks`, allowPrivateIPJWKS: true };
  return { issuer: url, ...keys, acceptedTypHeaders: [''], allowedAudiences };
}

/** The API server's `--authentication-config` that trusts them. Its probes need no name. */
export function trustIn(issuers: readonly Issuer[]): object {
  return {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    jwt: issuers.map(({ url, ca }) => ({
      issuer: { url, audiences: [AUDIENCE], certificateAuthority: ca },
      claimMappings: {
        username: { claim: 'email', prefix: PREFIX },
        groups: { claim: 'groups', prefix: PREFIX },
      },
    })),
    anonymous: { enabled: true, conditions: [{ path: '/livez' }, { path: '/readyz' }] },
  };
}

function newKey(): Key {
  return { kid: randomUUID(), ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
}
