import { VERSION } from 'pegboard';
import type { JsonObject } from 'pegboard';

/** The gateway as a client of authorization servers: of its document, and of its registrations. Source: RFC 7591 §2 */
export function ownMetadata(redirectUri: string, base: string): JsonObject {
  return {
    client_name: 'Pegboard',
    client_uri: base,
    redirect_uris: [redirectUri],
    // Required since MCP 2026-07-28; http is only for a gateway on the machine of its browser.
    application_type: redirectUri.startsWith('http:') ? 'native' : 'web',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    software_id: 'pegboard',
    software_version: VERSION,
  };
}
