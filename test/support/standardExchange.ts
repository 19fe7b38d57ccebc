import { UnsecuredJWT, decodeJwt } from 'jose';
import { typeUri } from './exchangeGateway.ts';
import { serveWithOutages } from './serveWithOutages.ts';
import type { OutageServer } from './serveWithOutages.ts';

type Form = Readonly<Record<string, string>>;
export interface StandardExchange extends OutageServer {
  readonly tokenEndpoint: string;
  /** The exchanges so far, refused ones included. */
  readonly forms: readonly Form[];
}

/** A token endpoint that exchanges as Keycloak 26 does: access tokens alone, for another client of its own, with the scopes that it knows.
 *  Its token has its default scopes. @param origin its address, where a TLS proxy is in front of it
 *  Source: https://www.keycloak.org/securing-apps/token-exchange */
export async function startStandardExchange(origin?: () => string): Promise<StandardExchange> {
  const forms: Form[] = [];
  const server = await serveWithOutages(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += String(chunk);
    const form = Object.fromEntries(new URLSearchParams(body));
    forms.push(form);
    const [status, answer] = answerTo(form, `${origin?.() ?? server.url}/realms/b`);
    res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  return { ...server, forms, tokenEndpoint: `${server.url}/realms/b/protocol/openid-connect/token` };
}

function answerTo(form: Form, iss: string): readonly [number, object] {
  const refuse = (error: string, error_description: string) => [400, { error, error_description }] as const;
  const { subject_token: token = '', subject_token_type: type, audience = '', scope = '' } = form;
  if (type !== typeUri('access_token'))
    return refuse('invalid_request', 'Invalid token type, must be access token');
  const unknown = scope.split(' ').filter((one) => !['', 'profile', 'email'].includes(one));
  if (unknown.length > 0) return refuse('invalid_scope', `Invalid scopes: ${unknown.join(' ')}`);
  if (audience === 'unknown') return refuse('invalid_client', 'Audience not found');
  const { sub = 'alice' } = token.includes('.') ? decodeJwt(token) : {};
  const exp = Math.floor(Date.now() / 1_000) + 300;
  const access_token = new UnsecuredJWT({ iss, sub, aud: audience, azp: 'pegboard', typ: 'Bearer', exp });
  return [
    200,
    {
      access_token: access_token.encode(),
      issued_token_type: typeUri('access_token'),
      token_type: 'Bearer',
      expires_in: 300,
      scope: 'profile email',
    },
  ];
}
