import type { Finding, Settings } from 'pegboard';
import type { AuthClientConfig } from './config.ts';
import { allowlistFault } from './flows/acceptedRedirect.ts';
import { SECRETS_PATH, START_PATH } from './flows/ownAddresses.ts';

const PLACE = ['aggregator', 'oauth', 'mcpClient'];
/** Paths of the sign-in at this gateway, and of the pages. */
const TAKEN = ['/oauth/callback', START_PATH, SECRETS_PATH];
const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '::1'];

/** What the schema cannot express. */
export function configFindings({ aggregator }: AuthClientConfig, settings: Settings): readonly Finding[] {
  const { mcpClient, server } = aggregator.oauth;
  const { enabled, callbackPath, cimd, publicUrl, postLoginRedirectAllowlist } = mcpClient;
  if (!enabled) return [];
  const findings = postLoginRedirectAllowlist.flatMap((entry, at) => {
    const fault = allowlistFault(entry);
    const path = [...PLACE, 'postLoginRedirectAllowlist', at];
    return fault === undefined ? [] : [warning(path, `${JSON.stringify(entry)} ${fault}`)];
  });
  if ([...TAKEN, cimd.path].includes(callbackPath))
    findings.push({
      path: [...PLACE, 'callbackPath'],
      message: `callbackPath ${callbackPath} is the path of another page; choose one of its own`,
    });
  const { extraCaFile } = aggregator;
  const isImplied = extraCaFile !== undefined;
  if (isImplied || mcpClient.tokenExchange.allowPrivateIP)
    findings.push(
      warning(
        isImplied ? ['aggregator', 'extraCaFile'] : [...PLACE, 'tokenExchange', 'allowPrivateIP'],
        `${isImplied ? 'extraCaFile' : 'tokenExchange.allowPrivateIP'} lets token endpoints of servers have private addresses: tokens of people are sent there`,
      ),
    );
  const { baseUrl } = server;
  if (publicUrl !== undefined && baseUrl !== undefined && hostOf(publicUrl) !== hostOf(baseUrl))
    findings.push(
      warning(
        [...PLACE, 'publicUrl'],
        'publicUrl has another host than aggregator.oauth.server.baseUrl: browsers keep their cookies by host, so sign-ins at servers will not complete; use one host',
      ),
    );
  const { host } = settings.aggregator;
  if (publicUrl === undefined && baseUrl === undefined && !LOOPBACK.includes(host))
    findings.push(
      warning(
        PLACE,
        `links of core_auth_login name ${host === '0.0.0.0' || host === '::' ? 'localhost' : host}; set publicUrl to the address at which browsers reach this gateway`,
      ),
    );
  return findings;
}

function warning(path: readonly (string | number)[], message: string): Finding {
  return { path: [...path], message, severity: 'warning' };
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
