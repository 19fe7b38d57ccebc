import { ConfigControl, messageOf } from 'pegboard';
import type { Scope } from 'pegboard';
import type { Notice } from '../contracts/notices.ts';

const TYPES = {
  MCPServerCreated: 'server.created',
  MCPServerUpdated: 'server.updated',
  MCPServerDeleted: 'server.deleted',
} as const;
export type WrittenReason = keyof typeof TYPES;
type DefinitionEvent = (typeof TYPES)[WrittenReason] | 'server.failed';
const ENDS: Readonly<Record<WrittenReason, string>> = {
  MCPServerCreated: 'successfully created in namespace',
  MCPServerUpdated: 'successfully updated in namespace',
  MCPServerDeleted: 'successfully deleted from namespace',
};

/** Runs the work on a definition and emits its event. Source: requirement core.events.catalogue. @throws the error of `work` */
export async function withWriteEvents<T>(
  scope: Scope<unknown>,
  { reason, server }: { readonly reason: WrittenReason; readonly server: string },
  work: () => Promise<T>,
): Promise<T> {
  const tell = (type: DefinitionEvent, why: string, rest: string, severity: Notice['severity']): void =>
    scope.emit({ type, reason: why, server, message: `MCPServer ${server} ${rest}`, severity });
  try {
    const done = await work();
    const { namespace } = scope.get(ConfigControl).settings();
    tell(TYPES[reason], reason, `${ENDS[reason]} ${namespace}`, 'Normal');
    return done;
  } catch (error) {
    tell('server.failed', 'MCPServerFailed', `operation failed: ${messageOf(error)}`, 'Warning');
    throw error;
  }
}
