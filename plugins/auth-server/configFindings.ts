import { parseDuration } from 'pegboard';
import type { Finding } from 'pegboard';
import type { AuthServerConfig } from './config.ts';

const PLACE = ['aggregator', 'oauth', 'server'];
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** What the schema cannot say. */
export function configFindings({ aggregator }: AuthServerConfig): readonly Finding[] {
  const { server } = aggregator.oauth;
  const at = (key: string, message: string, severity: Finding['severity'] = 'error'): Finding => ({
    path: [...PLACE, ...key.split('.')],
    message: `${[...PLACE, key].join('.')} ${message}`,
    severity,
  });
  const findings: Finding[] = [];
  const { baseUrl, idp } = server;
  const fault = addressFault(baseUrl);
  if (fault !== undefined) findings.push(at('baseUrl', fault));
  const issuerFault = addressFault(idp.issuerUrl);
  if (issuerFault !== undefined) findings.push(at('idp.issuerUrl', issuerFault));
  if (idp.clientId === '')
    findings.push(at('idp.clientId', 'is missing: register this gateway at the identity provider'));
  if (parseDuration(server.sessionDuration) === undefined)
    findings.push(
      at('sessionDuration', `is not a duration: write 720h, not ${JSON.stringify(server.sessionDuration)}`),
    );
  return findings;
}

/** Why it cannot be an issuer; undefined if it can. */
function addressFault(text: string): string | undefined {
  if (text === '') return 'is missing: write an address that begins with https://';
  if (!URL.canParse(text)) return `is not an address: ${JSON.stringify(text)}`;
  const { protocol, hostname, search, hash } = new URL(text);
  if (search !== '' || hash !== '') return 'must not have a query or a fragment';
  if (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname))) return undefined;
  return 'must begin with https:// (http:// only for localhost)';
}
