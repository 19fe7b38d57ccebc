/** The form of Dex. Source: https://dexidp.io/docs/configuration/custom-scopes-claims-clients/ */
const DEX_FORM = 'audience:server:client_id:{audience}';

/** The scope by which a token is also for another client. @param form of the identity provider, with `{audience}`
 *  @returns undefined if it has other characters than letters, digits and `._:/-`: a space would begin another scope */
export function audienceScope(audience: string, form = DEX_FORM): string | undefined {
  if (!/^[A-Za-z0-9._:/-]{1,256}$/.test(audience)) return undefined;
  return form.replaceAll('{audience}', audience);
}
