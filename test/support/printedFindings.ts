import { issueText } from '../../kernel/lib/placeText.ts';
import { review } from './reviewed.ts';
import { composeGateway } from './gateway.ts';
import type { Gateway } from './gateway.ts';

/** A config.yaml with sign-in. Line 7 on: keys of aggregator.oauth.server at column 7. */
export const HEAD = `aggregator:
  oauth:
    server:
      enabled: true
      baseUrl: https://gateway.example.com
      idp: { issuerUrl: https://login.example.com, clientId: pegboard, clientSecretFile: secret }
`;
/** Line 11 on: more of this issuer at column 11, or other keys. */
export const ISSUER = `      trustedIssuers:
        - issuer: https://login.example.com
          jwksUrl: https://login.example.com/keys
          allowedAudiences: [portal]
`;
/** The text after both of them, line 12 on: keys of the broker at column 9. */
export const BROKER = '      tokenExchangeBroker:\n';

/** Beside config.yaml are the files `secret` and `empty`. */
export function gatewayWith(text: string): Promise<Gateway> {
  return composeGateway({
    builtIns: ['auth-server', 'auth-exchange', 'vault-file', 'operators'],
    files: { 'config.yaml': text, secret: 'S\n', empty: '\n', 'state/.keep': '' },
  });
}

/** What `pegboard check` prints, without the directory, the name auth-exchange and aggregator.oauth.server. */
export async function printedFindings(text: string, isOnline = false): Promise<readonly string[]> {
  const { pipeline, directory } = await gatewayWith(text);
  const found = await pipeline.check((configured) => review(configured, { isOnline }));
  return found.map((issue) =>
    issueText(issue)
      .replaceAll(`${directory.path}/`, '')
      .replace('plugin auth-exchange: ', '')
      .replace('aggregator.oauth.server.', '')
      .replace(/ \(CONFIG_INVALID\)$/, ''),
  );
}
