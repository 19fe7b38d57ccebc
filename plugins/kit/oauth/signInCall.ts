/** The next step of a caller who has to sign in at a server. */
export function signInCall(server: string): string {
  return `call core_auth_login with {"server": ${JSON.stringify(server)}}`;
}

/** What lets callers sign in at servers. */
export const ENABLE_SIGN_INS = 'set aggregator.oauth.mcpClient.enabled to true';
