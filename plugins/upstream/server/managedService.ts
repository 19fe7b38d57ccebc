import { ConfigControl, GatewayError, waitAtMost } from 'pegboard';
import type { InboundRequest, JsonObject, Scope, StartupItem } from 'pegboard';
import { ResourceStore } from '../../contracts/definitions.ts';
import { AcceptedDeclarations } from '../../contracts/pins.ts';
import type { DeclaredOffer } from '../../contracts/pins.ts';
import type { ManagedService, OwnConnection } from '../../contracts/services.ts';
import { Confinement } from '../../contracts/servers.ts';
import type { UpstreamConfig } from '../config.ts';
import type { Connection } from '../connection/connection.ts';
import { laterOf, timeAfter } from '../definition.ts';
import type { ServerFacts } from '../client/revision/serverFacts.ts';
import { beginElsewhere } from './otherProcesses.ts';
import { recordOf, stateWord, wordFor } from './recordOf.ts';
import type { Server } from './server.ts';
import type { ToolReport } from '../connection/toolReport.ts';

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
  // Of a file store, other processes are told (beginElsewhere); another store reaches all that it serves.
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
      if (!request) beginElsewhere(scope, { server: name });
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
      if (!request) beginElsewhere(scope, { server: name, restartRequestedAt });
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
