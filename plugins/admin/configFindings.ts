import type { Finding } from 'pegboard';
import { isLoopbackHost } from 'pegboard/net';
import type { AdminConfig } from './config.ts';

/** Warns about pages without sign-in that other machines can reach. */
export function configFindings({ aggregator: { admin } }: AdminConfig): readonly Finding[] {
  if (!admin.enabled || isLoopbackHost(admin.bindAddress)) return [];
  const text = `the admin pages have no sign-in, and ${admin.bindAddress} lets other machines reach them: who can connect can stop servers and end sessions; use 127.0.0.1, and a tunnel from elsewhere`;
  return [{ path: ['aggregator', 'admin', 'bindAddress'], message: text, severity: 'warning' }];
}
