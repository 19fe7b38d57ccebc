import type { InboundRequest } from 'pegboard';
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
    name: text('email') ?? text('name') ?? subject,
  };
}
