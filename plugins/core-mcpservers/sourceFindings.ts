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
  const message = `${wordsFor(found)}, so that other code may run at each start; pin it with: pegboard upgrade ${name}`;
  return [{ path: ['command'], message, severity: 'warning' }];
}

function wordsFor({ registry, name, version }: NamedPackage): string {
  const what = registry === 'oci' ? `image ${name}` : `package ${name}`;
  return `${what} is run ${version === undefined ? 'without a version' : `as ${version}, which is not an exact version`}`;
}
