import * as oauth from 'oauth4webapi';
import type { GrantClient } from '../record/grantRecord.ts';

/** How the gateway proves to be that client. Source: RFC 6749 §2.3 */
export function authenticationOf({ secret = '', authMethod }: GrantClient): oauth.ClientAuth {
  if (authMethod === 'none') return oauth.None();
  return authMethod === 'client_secret_post' ? oauth.ClientSecretPost(secret) : basic(secret);
}

/** oauth4webapi also escapes `-`, `.`, `_` and `*`, which RFC 6749 §2.3.1 does not want, and many servers do not undo. */
function basic(secret: string): oauth.ClientAuth {
  return (_, { client_id: id }, __, headers) => {
    const pair = Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString('base64');
    headers.set('authorization', `Basic ${pair}`);
  };
}
function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
