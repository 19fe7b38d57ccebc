import type { Finding } from 'pegboard';
import type { McpServerSpec } from './mcpServerSpec.ts';

const PROXY = /^(none|(https?|socks5h?):\/\/[^\s/?#]+\/?)$/i;

/** How a server on another machine is reached. Messages must not hold user and password of a proxy. */
export function checkNetwork({ url = '', proxy, tls }: McpServerSpec): readonly Finding[] {
  const findings: Finding[] = [];
  if (proxy !== undefined && !proxy.includes('${') && !PROXY.test(proxy)) {
    const message =
      'proxy must begin with http://, https:// or socks5:// and end with host and port; or write none';
    findings.push({ path: ['proxy'], message });
  }
  if (tls === undefined) return findings;
  if (tls.key !== undefined && tls.cert === undefined)
    findings.push({
      path: ['tls', 'key'],
      message: 'tls.key belongs to a certificate; name its file in tls.cert',
    });
  if (!/^https:/i.test(url)) {
    const message = 'tls has no effect, because url does not begin with https://; remove it or correct url';
    findings.push({ path: ['tls'], message, severity: 'warning' });
  }
  return findings;
}
