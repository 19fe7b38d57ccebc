import type { Loss } from './grantRecord.ts';

/** Why a grant is lost, for people. */
export const LOSSES: Readonly<Record<Loss, string>> = {
  revoked: 'the authorization server has ended the grant',
  'answer-lost':
    'the answer with the next refresh token was lost on the way, and the authorization server accepts each only once',
  'client-unknown': 'the authorization server no longer knows this gateway as a client',
  refused: 'the server refuses the new tokens of its authorization server',
  'no-lifetime':
    'the server refuses the tokens of its authorization server, which says that they end at once: expires_in is not a number above 0',
  expired: 'the access token has expired, and the authorization server gave no refresh token',
  moved: 'the server has moved: its definition has another url or issuer than the grant',
  'not-refreshable': 'the authorization server refuses to give new tokens for this grant',
  'token-type': 'the authorization server gives tokens that are not Bearer',
};
