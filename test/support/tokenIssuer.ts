import { generateKeyPairSync, randomUUID } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { SignJWT, exportJWK } from 'jose';
import type { JWTHeaderParameters } from 'jose';
import type { JsonObject } from '../../kernel/index.ts';
import { serveWithOutages } from './serveWithOutages.ts';
import type { OutageServer } from './serveWithOutages.ts';

interface Key {
  readonly kid: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}
/** Members that are added or replaced; undefined removes one. */
type Changes = Readonly<Record<string, unknown>>;

export interface TokenIssuer extends OutageServer {
  /** Its entry in `trustedIssuers`. */
  readonly trusted: (more?: JsonObject) => JsonObject;
  /** A token of `alice` with typ at+jwt for an hour. */
  readonly sign: (claims?: Changes, header?: Changes) => Promise<string>;
  /** Its private key in use, for tokens that SignJWT does not make. */
  readonly privateKey: () => KeyObject;
  /** Signs with a new key from now on; the old one is not published any more. */
  readonly rotateKeys: () => void;
  /** How often its keys were read. */
  readonly reads: () => number;
}

/** An issuer of signed tokens on loopback: its keys at `/keys`. @param hasKid whether its keys have names */
export async function startTokenIssuer({ hasKid = true } = {}): Promise<TokenIssuer> {
  let key = newKey();
  const server = await serveWithOutages(async (_, res, path) => {
    if (path !== '/keys') return res.writeHead(404).end();
    const { kid, publicKey } = key;
    const jwk = { ...(await exportJWK(publicKey)), alg: 'ES256', use: 'sig', ...(hasKid && { kid }) };
    return res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [jwk] }));
  });
  return {
    ...server,
    trusted: (more = {}) => ({
      issuer: server.url,
      jwksUrl: `${server.url}/keys`,
      allowPrivateIPJWKS: true,
      ...more,
    }),
    sign: (claims = {}, header = {}) => {
      const now = Math.floor(Date.now() / 1_000);
      const honest = { iss: server.url, sub: 'alice', aud: 'portal', iat: now, exp: now + 3_600 };
      const all = { alg: 'ES256', typ: 'at+jwt', ...(hasKid && { kid: key.kid }), ...header };
      return new SignJWT(without({ ...honest, ...claims }))
        .setProtectedHeader(without(all) as unknown as JWTHeaderParameters)
        .sign(key.privateKey);
    },
    privateKey: () => key.privateKey,
    rotateKeys: () => {
      key = newKey();
    },
    reads: () => server.requests('/keys'),
  };
}

function without(members: Changes): Changes {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
function newKey(): Key {
  return { kid: randomUUID(), ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) };
}
