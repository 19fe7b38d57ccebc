export const CLIENT_ID = 'pegboard';
export const CLIENT_SECRET = 'secret of pegboard';

/** `aggregator.oauth.server.idp` for an identity provider of the tests. */
export function clientAtProvider(issuerUrl: string) {
  return { issuerUrl, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, allowPrivateIPOIDC: true };
}
