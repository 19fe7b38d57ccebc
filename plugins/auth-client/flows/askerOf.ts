import type { InboundRequest } from 'pegboard';
import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import type { LinkAsker } from './flowStore.ts';

/** Who asks for a link: only this person may open it. */
export function askerOf({ caller }: InboundRequest): LinkAsker {
  if (caller === undefined) return {};
  const { subject, issuer, claims = {} } = caller;
  const text = (name: string): string | undefined => {
    const value = claims[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const session = text('sid');
  return {
    subject,
    ...(issuer !== undefined && { issuer }),
    ...(session !== undefined && { session }),
    // An issuer may let people choose any other address or name.
    name: (claims['email_verified'] === true ? text('email') : undefined) ?? subject,
  };
}

/** The asker on pages, with the issuer that vouches for the name. */
export function askerWords({ name, subject, issuer }: LinkAsker): Html {
  const where = issuer === undefined ? undefined : html` (signed in at <strong>${issuer}</strong>)`;
  return html`<strong>${name ?? subject}</strong>${where}`;
}
