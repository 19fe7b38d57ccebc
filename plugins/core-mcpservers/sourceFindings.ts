import type { Finding } from 'pegboard';
import { sourceFault } from '../kit/packages/packageIn.ts';
import { unpinnedWords } from '../kit/packages/unpinnedWords.ts';
import type { McpServerSpec } from './mcpServerSpec.ts';

/** A source that does not say what the command runs. */
export function sourceFindings({ command, args, source }: McpServerSpec): readonly Finding[] {
  if (source === undefined) return [];
  const fault = sourceFault([command ?? [], args ?? []].flat(), source);
  if (fault === undefined) return [];
  return [{ path: ['source'], message: `${fault}; remove source, then pin it anew with: pegboard upgrade` }];
}

/** A command that may run another version at each start. */
export function unpinnedFindings(name: string, { type, command, args }: McpServerSpec): readonly Finding[] {
  const message = type === 'stdio' ? unpinnedWords([command ?? [], args ?? []].flat(), name) : undefined;
  return message === undefined ? [] : [{ path: ['command'], message, severity: 'warning' }];
}
