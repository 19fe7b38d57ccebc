import type { Finding } from 'pegboard';
import { readHostGrant } from '../kit/definitions/hostGrant.ts';
import type { McpServerSpec } from './mcpServerSpec.ts';

const DIGEST = /^[^\s@]+@sha256:[0-9a-f]{64}$/;

/** How a process is confined, as far as the definition alone says. */
export function checkIsolation({ isolate, grants, image, runsIn }: McpServerSpec): readonly Finding[] {
  const findings: Finding[] = [];
  const unused = (key: string, fix: string): unknown =>
    findings.push({
      path: [key],
      message: `${key} has no effect with isolate: ${isolate ?? ''}; ${fix}`,
      severity: 'warning',
    });
  if (grants !== undefined && isolate === 'none') unused('grants', 'remove it or set isolate: sandbox');
  if (image !== undefined && (isolate === 'none' || isolate === 'sandbox'))
    unused('image', 'remove it or set isolate: container');
  if (image !== undefined && !DIGEST.test(image)) {
    const message =
      'image must end with its digest, because a tag may lead to another image tomorrow; write name@sha256:… as docker image inspect shows it';
    findings.push({ path: ['image'], message });
  }
  if (image === undefined && isolate === 'container') {
    const message = 'image is required with isolate: container; write image: name@sha256:…';
    findings.push({ path: ['isolate'], message });
  }
  if (grants?.['cpus'] !== undefined && isolate === 'sandbox') {
    const message = 'grants.cpus does not hold in a sandbox; remove it or set isolate: container';
    findings.push({ path: ['grants', 'cpus'], message });
  }
  const hosts = grants?.['network'];
  if (!Array.isArray(hosts) || runsIn === 'pod') return findings;
  if (isolate === 'container') {
    const message =
      'a list of hosts does not hold in a container; write none or all, or set isolate: sandbox';
    findings.push({ path: ['grants', 'network'], message });
  }
  for (const [at, host] of hosts.entries()) {
    if (readHostGrant(String(host)) !== undefined) continue;
    const message =
      'a host needs a port from 1 to 65535; write host:443, *.example.com:443 or an address in its usual form, IPv6 in brackets';
    findings.push({ path: ['grants', 'network', at], message });
  }
  return findings;
}
