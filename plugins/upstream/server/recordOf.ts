import { hideInUrl, hideInWords, remedyOf } from 'pegboard/kit';
import type { InForce } from '../../contracts/servers.ts';
import type { ServiceMetadata, ServiceRecord } from '../../contracts/services.ts';
import type { UpstreamConfig } from '../config.ts';
import type { Connection } from '../connection/connection.ts';
import { confinementOf } from '../connection/spawned.ts';
import { extensionsIn } from '../connection/extensionsIn.ts';
import { topicsForInstances } from '../connection/topicsForInstances.ts';
import type { ToolReport } from '../connection/toolReport.ts';
import { undeclared } from '../client/revision/declared.ts';
import { MODERN_REVISION } from '../client/rpc/dialect.ts';
import type { Server } from './server.ts';

/** A server may be wrong in each of its entries, and another may have all of their names. */
const MAX_TOLD = 20;

/** What core_service_* show of a server. @param inForce what confines its process; undefined if nothing does */
export function recordOf(
  server: Server,
  tools: ToolReport,
  config: UpstreamConfig,
  inForce: InForce | undefined,
): ServiceRecord {
  const { connection } = server;
  const {
    name,
    status: { health, fault, lastError },
  } = connection;
  const remedy = lastError && remedyOf(lastError, name);
  return {
    name,
    service_type: 'MCPServer',
    state: stateWord(connection),
    health,
    ...(fault !== undefined && { error: fault }),
    ...(remedy !== undefined && { remedy }),
    metadata: {
      ...metadataOf(
        server,
        tools,
        // Its command may have been filled with a secret.
        confinementOf(
          connection.definition,
          config,
          inForce && connection.conversation.ownWords(inForce.text),
        ),
      ),
      ...(inForce && inForce.refusedHosts.length > 0 && { refusedHosts: inForce.refusedHosts }),
    },
  };
}

/** A ready process is `running`, a ready remote server is `connected`. Source: requirement record.fields. */
export function stateWord({ state, definition }: Connection): string {
  return wordFor(state, definition);
}

/** The state as people read it. */
export function wordFor(state: string, { type }: Connection['definition']): string {
  if (state === 'ready') return type === 'stdio' ? 'running' : 'connected';
  return state;
}

function firstOf(entries: readonly string[]): readonly string[] {
  const more = entries.length - MAX_TOLD;
  return more > 0 ? [...entries.slice(0, MAX_TOLD), `and ${more} more`] : entries;
}

/** Leaves out env and headers, because they hold secrets. */
function metadataOf(
  { connection, own, lastEra: { transport } }: Server,
  { count, excluded, malformed, collisions, partialLists, odd, takenEntries }: ToolReport,
  confinement: string,
): ServiceMetadata {
  const { definition, facts, status, retry, counts, lastRestartedAt, conversation } = connection;
  const restartCount = counts.requested + counts.automatic;
  const asked = topicsForInstances(definition, conversation.questions.topics, transport);
  const { lastError, lastAttempt } = status;
  const { progress } = connection;
  const taken = takenEntries();
  const extensions = extensionsIn(facts?.capabilities ?? {}, (text) => conversation.ownWords(text));
  const {
    type,
    command,
    url,
    description,
    toolPrefix,
    family,
    autoStart,
    suspended,
    instances,
    maxInstances,
    warmInstances,
    isInPod,
    image,
  } = definition;
  const unasked = facts && undeclared(conversation.topics, facts.declared);
  return {
    type: isInPod ? 'stdio' : type,
    ...(type === 'auto' && transport !== undefined && { transport }),
    autoStart: autoStart ?? type !== 'stdio',
    ...(isInPod && { runsIn: 'pod', image }),
    ...(type === 'stdio'
      ? { command: hideInWords(command), confinement }
      : isInPod
        ? { command: hideInWords(command) }
        : { url: hideInUrl(url) }),
    ...(description !== undefined && { description }),
    ...(toolPrefix !== undefined && { toolPrefix }),
    ...(family !== undefined && { family }),
    suspended,
    ...(instances !== 'shared' && {
      instances: {
        mode: instances,
        running: own.size,
        max: maxInstances,
        ...(warmInstances > 0 && { warm: own.warm }),
      },
    }),
    ...(asked.length > 0 && {
      recommended: `instances: perSession, because it asks its clients (${asked.join(', ')})`,
    }),
    tools: count,
    ...(excluded > 0 && { excludedTools: excluded }),
    stale: connection.isStale && count > 0,
    since: new Date(status.since).toISOString(),
    ...(progress !== undefined && { progress }),
    consecutiveFailures: retry.failures,
    ...(lastError !== undefined && { lastError: lastError.message, lastErrorCode: lastError.code }),
    ...(lastAttempt !== undefined && { lastAttempt: new Date(lastAttempt).toISOString() }),
    ...(restartCount > 0 && { restartCount }),
    ...(retry.at !== undefined && { nextRetryAfter: new Date(retry.at).toISOString() }),
    ...(lastRestartedAt !== undefined && { lastRestartedAt }),
    ...(malformed.length > 0 && { malformedTools: malformed }),
    ...(collisions.length > 0 && { collisions }),
    ...(partialLists.length > 0 && { partialLists }),
    ...(odd.length > 0 && { malformedEntries: firstOf(odd) }),
    ...(taken.length > 0 && { takenEntries: firstOf(taken) }),
    ...(facts !== undefined && {
      protocolVersion: facts.protocolVersion,
      ...(facts.isDual && { alsoSpeaks: MODERN_REVISION }),
      serverName: facts.serverName,
      serverVersion: facts.serverVersion,
      ...(facts.serverTitle !== undefined && { serverTitle: facts.serverTitle }),
    }),
    ...(unasked !== undefined && { cannotAsk: `${unasked}: it refuses an initialize that declares it` }),
    ...(extensions.length > 0 && { extensions }),
  };
}
