import { ConfigControl, GatewayError, waitAtMost } from 'pegboard';
import { hideInUrl, hideInWords, remedyOf } from 'pegboard/kit';
import type { InboundRequest, JsonObject, Scope, StartupItem } from 'pegboard';
import { ResourceStore } from '../../contracts/definitions.ts';
import { AcceptedDeclarations } from '../../contracts/pins.ts';
import type { DeclaredOffer } from '../../contracts/pins.ts';
import type {
  ManagedService,
  OwnConnection,
  ServiceMetadata,
  ServiceRecord,
} from '../../contracts/services.ts';
import { Confinement } from '../../contracts/servers.ts';
import type { InForce } from '../../contracts/servers.ts';
import type { UpstreamConfig } from '../config.ts';
import type { Connection } from '../connection/connection.ts';
import { confinementOf } from '../connection/spawned.ts';
import { laterOf, timeAfter } from '../definition.ts';
import { topicsForInstances } from '../connection/topicsForInstances.ts';
import type { ServerFacts } from '../client/revision/serverFacts.ts';
import { MODERN_REVISION } from '../client/rpc/dialect.ts';
import { undeclared } from '../client/revision/declared.ts';
import { extensionsIn } from '../connection/extensionsIn.ts';
import type { Server } from './server.ts';
import type { ToolReport } from '../connection/toolReport.ts';

/** A server may be wrong in each of its entries, and another may have all of their names. */
const MAX_TOLD = 20;

type Said = 'instructions' | 'serverInfo';
interface Offered {
  readonly report: (server: string, request?: InboundRequest) => ToolReport;
  readonly declarations: {
    said(server: string, facts: ServerFacts | undefined, section: Said): DeclaredOffer | undefined;
  };
}

/** A server for core_service_*: start and stop change the definition, so that they survive a restart of Pegboard. */
export function managedService(
  server: Server,
  scope: Scope<UpstreamConfig>,
  offers: Offered,
): ManagedService {
  const { name, connection, personal, own } = server;
  const report = (request?: InboundRequest): ToolReport => offers.report(name, request);
  const said = (section: Said): DeclaredOffer | undefined =>
    offers.declarations.said(name, connection.facts, section);
  const saidText = (section: Said, part: string): string | undefined => {
    const offer = said(section);
    const accepted = scope.find(AcceptedDeclarations);
    const text = (offer && accepted ? accepted.shown(offer) : offer?.declared)?.[part];
    return typeof text === 'string' ? text : undefined;
  };
  const isSuspended = (): boolean => connection.definition.suspended;
  // A file store serves one process; other stores may serve several, which must all start or restart the server.
  const isForAll = (): boolean => scope.all(ResourceStore).some(({ mode }) => mode !== 'filesystem');
  const newRequest = (): string => {
    const { lastRestartedAt, definition } = connection;
    return timeAfter(laterOf(lastRestartedAt, definition.restartRequestedAt));
  };
  return {
    name,
    status: (request) =>
      recordOf(server, report(request), scope.config, scope.find(Confinement)?.inForce(name)),
    description: () => connection.definition.description,
    title: () => saidText('serverInfo', 'title'),
    toolNames: () => report().names(),
    instructions: () => saidText('instructions', 'instructions'),
    instructionsWithheld: () => {
      const offer = said('instructions');
      return offer && scope.find(AcceptedDeclarations)?.refusal(offer);
    },
    instanceFor: (request) => own.wordsFor(request),
    output: (request, query) => {
      const { type, isInPod, instances } = connection.definition;
      if (isInPod && instances === 'shared') return server.output.read(query);
      if (type !== 'stdio') {
        const ofAll = `the log of the pod has the lines of all callers of ${name}; read it with kubectl logs`;
        const text = isInPod
          ? ofAll
          : `server ${name} is remote (${type}): its standard error is where it runs; read it there`;
        throw new GatewayError('SERVICE_UNSUPPORTED', text);
      }
      return own.outputFor(request, personal.credentialOf(request))?.read(query);
    },
    ownFor: (request) => ownFor(server, request),
    start: async (as) => {
      const activation = isSuspended() && { suspended: false };
      const request = isForAll() && { restartRequestedAt: newRequest() };
      if (activation || request) await rewrite(scope, name, { ...activation, ...request }, as);
      await soon(connection, connection.start());
      throwWhenAway(connection);
    },
    stop: async (as) => {
      await rewrite(scope, name, { suspended: true }, as);
      await connection.stop();
    },
    restart: async (as) => {
      const activation = isSuspended() && { suspended: false };
      const restartRequestedAt = newRequest();
      const request = isForAll() && { restartRequestedAt };
      if (activation || request) await rewrite(scope, name, { ...activation, ...request }, as);
      // The restart of a server that cannot be reached succeeds: the server is tried again later.
      const restarted = request ? undefined : connection.restart(restartRequestedAt);
      await soon(
        connection,
        Promise.resolve(restarted).then(() => connection.settled()),
      );
    },
  };
}

function ownFor({ own, personal, definition }: Server, request: InboundRequest): OwnConnection | undefined {
  const credential = personal.credentialOf(request);
  const key = own.keyFor(request, credential);
  if (key === undefined) return undefined;
  return {
    state: wordFor(own.connectionOf(key)?.status.state ?? 'none', definition),
    reconnect: async () => {
      await own.dropOne(key);
      // A session's process begins with its next call, which brings its client.
      if (credential !== undefined) await personal.connect(credential);
    },
  };
}

/** A server for the ready line and the table at the start. */
export function startupItem(connection: Connection, { count }: ToolReport): StartupItem {
  const { since, fault } = connection.status;
  const state = stateWord(connection);
  return {
    name: connection.name,
    state,
    isStarting: state === 'starting',
    tools: count,
    since,
    ...(fault !== undefined && { error: fault }),
  };
}

/** A requested start waits for no other; what a runner installs is not waited for longer than for any server. */
async function soon(connection: Connection, begun: Promise<void>): Promise<void> {
  connection.hurry();
  const { runner, timeoutMs } = connection.definition;
  await (runner === undefined ? begun : waitAtMost(timeoutMs, begun));
}

function throwWhenAway({ name, status: { state, lastError }, retry }: Connection): void {
  if (state === 'ready' || state === 'starting' || lastError === undefined) return;
  const at = retry.at === undefined ? undefined : new Date(retry.at).toISOString();
  const next = at === undefined ? '' : `; the next attempt is at ${at}`;
  throw new GatewayError(lastError.code, `server ${name} is ${state}: ${lastError.message}${next}`, {
    cause: lastError,
    details: { state, ...helpIn(lastError), ...(at !== undefined && { nextRetryAfter: at }) },
  });
}

function helpIn({ details: { server, action } }: GatewayError): GatewayError['details'] {
  return { ...(server !== undefined && { server }), ...(action && { action }) };
}

/** @throws GatewayError STORE_UNREACHABLE if there is no store; also the errors of the store */
async function rewrite(
  scope: Scope<UpstreamConfig>,
  name: string,
  edit: JsonObject,
  as: InboundRequest | undefined,
): Promise<void> {
  const store = scope.find(ResourceStore);
  if (store === undefined) {
    const text = `nothing was changed: no plugin stores definitions; edit ${Object.keys(edit).join()} of server ${name} where it is defined`;
    throw new GatewayError('STORE_UNREACHABLE', text);
  }
  const kept = await store.get('MCPServer', name);
  if (kept === undefined)
    throw new GatewayError('STORE_NOT_FOUND', `no definition of MCPServer ${name} is stored`);
  await store.replace('MCPServer', { ...kept, spec: { ...kept.spec, ...edit } }, as);
  await scope.get(ConfigControl).reload();
}

function recordOf(
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
function stateWord({ state, definition }: Connection): string {
  return wordFor(state, definition);
}

function wordFor(state: string, { type }: Connection['definition']): string {
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
