import { readFileSync } from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';
import * as tls from 'node:tls';
import { openTunnel } from './openTunnel.ts';
import { proxyRoutes } from './proxyRoutes.ts';
import type { Proxy, ProxySettings } from './proxyRoutes.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What an OTLP exporter over HTTP needs so that it reaches its collector through the proxy that leads there; empty without one.
 *  @throws ProxyError Source: https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 *  @param signal the signal whose variables, `OTEL_EXPORTER_OTLP_<signal>_*`, come before those for all signals */
export function exportAgent(
  env: Env,
  settings: ProxySettings | undefined,
  signal: 'TRACES' | 'METRICS',
): {
  readonly httpAgentOptions?: (protocol: string) => http.Agent;
} {
  const valueOf = (name: string): string | undefined =>
    env[`OTEL_EXPORTER_OTLP_${signal}_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`] || undefined;
  const endpoint = valueOf('ENDPOINT') ?? '';
  const proxy = URL.canParse(endpoint) ? proxyRoutes(settings, env)(new URL(endpoint)).proxy : undefined;
  if (proxy === undefined) return {};
  const read = (name: string): Buffer | undefined => {
    const file = valueOf(name);
    return file === undefined ? undefined : readFileSync(file);
  };
  // With an agent of its own, the exporter ignores these variables.
  const files = { ca: read('CERTIFICATE'), cert: read('CLIENT_CERTIFICATE'), key: read('CLIENT_KEY') };
  const options = Object.fromEntries(Object.entries(files).filter(([, text]) => text !== undefined));
  return { httpAgentOptions: (protocol) => tunnelling(proxy, protocol === 'https:', options) };
}

function tunnelling(proxy: Proxy, isHttps: boolean, options: https.AgentOptions): http.Agent {
  const agent = new (isHttps ? https : http).Agent({ ...options, keepAlive: true });
  agent.createConnection = (asked, done) => {
    const { host, port, servername } = asked as tls.ConnectionOptions;
    openTunnel(proxy, { host: host ?? '', port: Number(port) || (isHttps ? 443 : 80) }).then(
      (socket) => done?.(null, isHttps ? tls.connect({ ...options, servername, socket }) : socket),
      (error: unknown) => done?.(error as Error, undefined as never),
    );
    return undefined;
  };
  return agent;
}
