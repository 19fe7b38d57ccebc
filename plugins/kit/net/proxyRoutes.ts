import { hostOf, isLoopbackHost } from './hostClasses.ts';
import { noProxy } from './noProxy.ts';

/** A proxy that requests go through. */
export interface Proxy {
  readonly isHttps: boolean;
  readonly isSocks: boolean;
  readonly host: string;
  readonly port: number;
  /** `user:password`, as in the url but without its escapes; empty without them. */
  readonly credentials: string;
  /** Its url without credentials and the variable or key that names it, for people. */
  readonly name: string;
}
/** How a request gets to its server. */
export interface ProxyRoute {
  readonly proxy: Proxy | undefined;
  /** Why there is no proxy, in words that follow `without a proxy`; empty where there can be none. */
  readonly why: string;
}
export type Routes = (url: URL) => ProxyRoute;

/** Keys of `aggregator`; absent ones leave it to the environment. */
export interface ProxySettings {
  /** The url of a proxy for everything, or `none`. */
  readonly proxy?: string;
  /** As the entries of NO_PROXY. */
  readonly noProxy?: readonly string[];
  /** Whether the proxy refuses private addresses itself, so that guardedFetch may leave names to it that cannot be resolved here. */
  readonly proxyResolves?: boolean;
}
type Env = Readonly<Record<string, string | undefined>>;

/** A proxy cannot be used. The message names it, without credentials, and the fix. */
export class ProxyError extends Error {}

/** The proxy for each url: of the settings, or of HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY, lower case first, as curl reads
 *  them. This machine is reached without one. @returns a function that throws ProxyError */
export function proxyRoutes(settings: ProxySettings = {}, env: Env = process.env): Routes {
  const isExempt = noProxy(settings.noProxy ?? valueOf('NO_PROXY', env)?.text.split(/[\s,]+/) ?? []);
  const given = settings.proxy;
  return (url) => {
    const host = hostOf(url);
    if (isLoopbackHost(host) || host.endsWith('.localhost')) return { proxy: undefined, why: '' };
    if (given === 'none') return { proxy: undefined, why: ', as aggregator.proxy says' };
    const variable = `${url.protocol === 'https:' ? 'HTTPS' : 'HTTP'}_PROXY`;
    const named = valueOf(variable, env) ?? valueOf('ALL_PROXY', env);
    const [text, from] = given === undefined ? [named?.text, named?.name] : [given, 'aggregator.proxy'];
    if (text === undefined || from === undefined)
      return { proxy: undefined, why: `: neither ${variable} nor aggregator.proxy is set` };
    if (!isExempt(host, Number(url.port) || (url.protocol === 'https:' ? 443 : 80)))
      return { proxy: readProxy(text, from), why: '' };
    const where = settings.noProxy === undefined ? 'NO_PROXY' : 'aggregator.noProxy';
    return { proxy: undefined, why: `, as ${where} names its host` };
  };
}

/** Whether a name that cannot be resolved here may be left to the proxy: over https, where what answers must have a certificate
 *  for it, and only if it may have a private address anyway, or the proxy refuses those itself (decision D141). */
export function isLeftToProxy(url: URL, settings: ProxySettings = {}, allowPrivate = false): boolean {
  const may = url.protocol === 'https:' && (allowPrivate || settings.proxyResolves === true);
  return may && proxyRoutes(settings)(url).proxy !== undefined;
}

/** @param from the variable or key that holds it @throws ProxyError */
export function readProxy(text: string, from: string): Proxy {
  // As everywhere, a scheme may be left out.
  const full = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  const scheme = url?.protocol ?? '';
  if (url === undefined || url.hostname === '' || !(scheme in DEFAULT_PORTS))
    throw new ProxyError(
      `${from} is not the url of a proxy: http://, https:// or socks5:// with host and port, without special characters in user and password that are not escaped (%40 for @)`,
    );
  const port = Number(url.port) || DEFAULT_PORTS[scheme as keyof typeof DEFAULT_PORTS];
  const host = hostOf(url);
  return {
    isHttps: scheme === 'https:',
    isSocks: scheme.startsWith('socks'),
    host,
    port,
    credentials: url.username === '' && url.password === '' ? '' : credentialsIn(url, from),
    name: `${scheme}//${url.hostname}:${port} (${from})`,
  };
}
const DEFAULT_PORTS = { 'http:': 80, 'https:': 443, 'socks5:': 1080, 'socks5h:': 1080 } as const;

function credentialsIn({ username, password }: URL, from: string): string {
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    throw new ProxyError(`${from} has a % in user or password that begins no escape; write %25`);
  }
}

/** A variable that is set but empty counts as absent. */
function valueOf(name: string, env: Env): { readonly text: string; readonly name: string } | undefined {
  const found = [name.toLowerCase(), name].find((one) => (env[one] ?? '').trim() !== '');
  return found === undefined ? undefined : { text: (env[found] ?? '').trim(), name: found };
}
