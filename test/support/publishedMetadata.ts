import type { ServerResponse } from 'node:http';

type Json = Readonly<Record<string, unknown>>;
/** Changes a document when it is read; undefined: 404. */
export type Change = (honest: Json) => Json | undefined;
/** Where an authorization server's metadata is: RFC 8414, and both places of OpenID Connect for an issuer with a path. */
export type MetadataPlace = 'oauth' | 'openid-inserted' | 'openid-appended';

/** @param path of the issuer */
export function metadataPath(place: MetadataPlace, path: string): string {
  if (place === 'oauth') return `/.well-known/oauth-authorization-server${path}`;
  if (place === 'openid-inserted') return `/.well-known/openid-configuration${path}`;
  return `${path}/.well-known/openid-configuration`;
}

/** @param document undefined: 404 */
export function publishJson(res: ServerResponse, document: Json | undefined): void {
  if (document === undefined) res.writeHead(404).end();
  else res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
}
