/** The scope by which a token is also for another client. Source: https://dexidp.io/docs/configuration/custom-scopes-claims-clients/
 *  @returns undefined if it has other characters than letters, digits and `._:/-`: a space would begin another scope */
export function audienceScope(audience: string): string | undefined {
  return /^[A-Za-z0-9._:/-]{1,256}$/.test(audience) ? `audience:server:client_id:${audience}` : undefined;
}
