/** Signatures that are accepted: asymmetric ones only. Metadata documents and challenges list them. */
export const SIGNATURE_ALGORITHMS: readonly string[] = [
  ...['ES256', 'ES384', 'ES512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'EdDSA'],
];
