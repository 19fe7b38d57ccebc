import { ANYONE } from 'pegboard';
import type { InboundRequest, Scope } from 'pegboard';
import type { ManagedService, OutputLine } from '../../contracts/services.ts';
import { serversIn } from './servers.ts';

const LINES = 200;

/** What a stdio server wrote last, as core_server_logs shows it: without secrets. */
export interface StandardErrorFacts {
  /** Words that say whose process it is; absent if all share one. */
  readonly instance?: string;
  readonly lines: readonly OutputLine[];
}

/** Undefined for a remote server: its standard error is where it runs. */
export function standardErrorOf(
  service: ManagedService,
  request: InboundRequest,
): StandardErrorFacts | undefined {
  if (!isProcess(service)) return undefined;
  const instance = service.instanceFor?.(request);
  const { lines = [] } = service.output?.(request, { lines: LINES }) ?? {};
  return { ...(instance !== undefined && { instance }), lines };
}

/** @returns a function that says whether a shared process has written a line since it was last asked */
export function writingIn(scope: Scope<unknown>): () => boolean {
  let before = '';
  return () => {
    const marks = serversIn(scope)
      .filter(isProcess)
      .map((service) => service.output?.(ANYONE, { lines: 1 })?.next);
    const now = marks.join(' ');
    const hasWritten = now !== before;
    before = now;
    return hasWritten;
  };
}

function isProcess(service: ManagedService): boolean {
  return service.output !== undefined && service.status().metadata.type === 'stdio';
}
