import type { Client, InboundRequest, Scope } from 'pegboard';
import { firstAnswer } from '../../kit/calls/firstAnswer.ts';
import { McpResourceSource } from '../../contracts/mcp.ts';
import { resourceNotFound } from '../message/results.ts';

export interface UriWatch {
  readonly uri: string;
  readonly request: InboundRequest;
  readonly updated: () => void;
  readonly client: Pick<Client, 'capabilities'>;
}
/** Subscribes at the source that has the resource. @throws GatewayError RESOURCE_NOT_FOUND */
export function watch(
  scope: Scope<unknown>,
  { uri, request, updated, client }: UriWatch,
): Promise<() => void> {
  return firstAnswer(
    scope.all(McpResourceSource),
    (source) => source.subscribe?.(uri, request, updated, client),
    () => resourceNotFound(uri, scope.all(McpResourceSource), request),
  );
}
