import type { Finding, Settings } from 'pegboard';
import { hostOf, isLoopbackHost } from 'pegboard/net';
import { needsSignIn } from '../kit/http/signInSettings.ts';
import type { AdminConfig, ListenerConfig } from './config.ts';

const PLACE = ['aggregator', 'admin'];
const NO_SIGN_IN =
  'aggregator.admin.signIn is true, and no one can sign in at this gateway: set up aggregator.oauth.server with enabled: true, or remove signIn';
const NO_OPERATORS =
  'aggregator.admin.signIn is true, and plugins.operators is false, so that no one is known to be an operator: remove that, and name people under operators';

/** What the schema cannot say; and a warning about pages without sign-in that other machines can reach. */
export function configFindings(
  { aggregator: { admin } }: AdminConfig,
  settings: Pick<Settings, 'aggregator' | 'plugins'>,
): readonly Finding[] {
  if (!admin.enabled) return [];
  if (admin.signIn) return signInFindings(admin, settings);
  if (admin.baseUrl !== '')
    return [
      error('baseUrl', 'aggregator.admin.baseUrl counts with signIn only: set signIn: true, or remove it'),
    ];
  if (isLoopbackHost(admin.bindAddress)) return [];
  const text = `the admin pages have no sign-in, and ${admin.bindAddress} lets other machines reach them: who can connect can stop servers and end sessions; set signIn: true, or use 127.0.0.1, and a tunnel from elsewhere`;
  return [{ path: [...PLACE, 'bindAddress'], message: text, severity: 'warning' }];
}

function signInFindings(
  { baseUrl }: ListenerConfig,
  settings: Pick<Settings, 'aggregator' | 'plugins'>,
): readonly Finding[] {
  const { plugins } = settings;
  const isOff = !needsSignIn(settings) || plugins['auth-server'] === false;
  const fault = addressFault(baseUrl);
  return [
    ...(isOff ? [error('signIn', NO_SIGN_IN)] : []),
    ...(plugins['operators'] === false ? [error('signIn', NO_OPERATORS)] : []),
    ...(fault === undefined ? [] : [error('baseUrl', `aggregator.admin.baseUrl ${fault}`)]),
  ];
}

/** Why browsers cannot be sent there with a secret; undefined if they can. */
function addressFault(text: string): string | undefined {
  if (text === '')
    return 'is missing: write the address by which browsers reach the pages, which begins with https://';
  if (!URL.canParse(text)) return `must be an address that begins with https://, not ${JSON.stringify(text)}`;
  const url = new URL(text);
  if (`${url.origin}/` !== url.href) return `must be a scheme and a host, such as ${url.origin}`;
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(hostOf(url))))
    return undefined;
  return 'must begin with https:// (http:// only for localhost), because the sign-in is kept there';
}

function error(key: string, message: string): Finding {
  return { path: [...PLACE, key], message };
}
