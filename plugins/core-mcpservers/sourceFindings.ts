import type { Finding } from 'pegboard';
import { packageIn, sourceFault } from '../kit/packages/packageIn.ts';
import type { NamedPackage } from '../kit/packages/packageIn.ts';
import type { McpServerSpec } from './mcpServerSpec.ts';

/** A source that does not say what the command runs. */
export function sourceFindings({ command, args, source }: McpServerSpec): readonly Finding[] {
  if (source === undefined) return [];
  const fault = sourceFault([command ?? [], args ?? []].flat(), source);
  if (fault === undefined) return [];
  return [{ path: ['source'], message: `${fault}; remove source, then pin it anew with: pegboard upgrade` }];
}

/** A command that may run another version at each start. */
export function unpinnedFindings(name: string, spec: McpServerSpec): readonly Finding[] {
  const { type, command, args } = spec;
  const found = type === 'stdio' ? packageIn([command ?? [], args ?? []].flat()) : undefined;
  if (found === undefined || found.isExact) return [];
  const message = `${wordsFor(found)}, so that other code may run at each start; ${cureFor(found, name)}`;
  return [{ path: ['command'], message, severity: 'warning' }];
}

function wordsFor({ registry, name, version }: NamedPackage): string {
  const what = registry === 'oci' ? `image ${name}` : `package ${name}`;
  if (version === undefined) return `${what} is run without a version`;
  const isTag = registry === 'oci' && version !== 'latest';
  return `${what} is run as ${version}, which is ${isTag ? 'a tag that can be moved' : 'not an exact version'}`;
}

function cureFor({ obstacle }: NamedPackage, server: string): string {
  const pin = `pin it with: pegboard upgrade ${server}`;
  return obstacle === undefined ? pin : `write an exact version, as it cannot be pinned: ${obstacle}`;
}
