/** Parameters of an authorization request that the sign-in itself sets, or that would change what those mean. */
const OWN: ReadonlySet<string> = new Set([
  ...[
    'client_id',
    'client_secret',
    'redirect_uri',
    'response_type',
    'response_mode',
    'scope',
    'state',
    'nonce',
  ],
  ...['code_challenge', 'code_challenge_method', 'request', 'request_uri'],
]);

/** Names among the parameters of a definition or a configuration that are not its to set. */
export function ownParameters(parameters: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(parameters).filter((name) => OWN.has(name));
}
