import type { Issue, JsonObject } from 'pegboard';
import { actionWords } from '../../kit/faults/action.ts';
import { readRemedy, remedyWords } from '../../kit/faults/remedy.ts';
import { stateInWords } from '../../kit/notices/stateInWords.ts';
import type { ServiceMetadata, ServiceRecord } from '../../contracts/services.ts';
import { kubeReason } from '../api/kubeReason.ts';
import type { Refusal } from '../store/refusal.ts';
import type { View } from './replicaViews.ts';
import type { Judgement } from './timedConditions.ts';

/** What has become of a stored definition. */
export interface DefinitionFacts {
  /** Why it is not in force, whatever it says. */
  readonly refusal?: Refusal | undefined;
  /** Why it is not in force; empty if it is. */
  readonly errors: readonly Issue[];
  /** What of it this version does not know. */
  readonly warnings?: readonly Issue[];
  /** The generation in force in its place; undefined if none is. */
  readonly lastGood?: number | undefined;
}

/** Facts from which the status of a server follows. */
export interface ServerObjectFacts extends DefinitionFacts {
  /** spec.type */
  readonly type: string;
  /** Undefined while it has no server. */
  readonly record: ServiceRecord | undefined;
}

/** `status` of an MCPServer, without conditions. A key that is undefined is removed. */
export interface ServerObjectStatus {
  readonly state: string;
  readonly tools: number;
  readonly lastError: string | undefined;
  readonly lastConnected: string | undefined;
  readonly lastRestartedAt: string | undefined;
  readonly lastAttempt: string | undefined;
  readonly nextRetryAfter: string | undefined;
  readonly consecutiveFailures: number;
  readonly restartCount: number;
  /** What the server calls itself, while it is connected. */
  readonly serverInfo: { readonly name?: string; readonly version?: string } | undefined;
  readonly protocolVersion: string | undefined;
}

/** The words of a server about itself may have any length. */
const MAX_WORDS = 200;
const UP: readonly string[] = ['running', 'connected', 'idle'];

/** @param before of the object: `lastConnected` stays while the server is up, so that a connected server is not written again */
export function serverStatusOf(
  { type, refusal, errors, record }: ServerObjectFacts,
  before: JsonObject,
): ServerObjectStatus {
  const metadata: ServiceMetadata = record?.metadata ?? {};
  const { lastError, lastAttempt, lastRestartedAt, nextRetryAfter, since } = metadata;
  const { tools = 0, consecutiveFailures = 0, restartCount = 0 } = metadata;
  const { serverName: name, serverVersion: version, protocolVersion } = metadata;
  const state = stateInWords(record?.state ?? 'stopped', type);
  const remedy = readRemedy(record?.remedy);
  const isUp = UP.includes(record?.state ?? '');
  return {
    state,
    tools,
    lastError:
      (refusal ?? errors[0])?.message ?? (remedy === undefined ? lastError : remedyWords(remedy, 'status')),
    lastConnected: isUp ? secondsOf(since) : textOf(before['lastConnected']),
    lastRestartedAt: lastRestartedAt ?? textOf(before['lastRestartedAt']),
    lastAttempt: secondsOf(lastAttempt) ?? textOf(before['lastAttempt']),
    nextRetryAfter: isUp ? undefined : secondsOf(nextRetryAfter),
    consecutiveFailures,
    restartCount,
    serverInfo:
      name === undefined && version === undefined
        ? undefined
        : {
            ...(name !== undefined && { name: name.slice(0, MAX_WORDS) }),
            ...(version !== undefined && { version: version.slice(0, MAX_WORDS) }),
          },
    protocolVersion,
  };
}

/** How this process sees a server, in few words that do not change while it is tried again; passing: it is on the way to another state. */
export function viewOf(facts: ServerObjectFacts): View | 'passing' {
  const state = facts.record?.state ?? 'stopped';
  if (state === 'starting' || state === 'stopping') return 'passing';
  const [ready] = serverJudgements(facts);
  const { reason = '', status } = ready === undefined ? {} : kubeReason(ready);
  return { state: stateInWords(state, facts.type), reason, ready: status === 'True' };
}

/** Accepted: the definition is in force. Reachable: the server answers. Authorized: it needs no sign-in. Ready: all of these. */
export function serverJudgements(facts: ServerObjectFacts): readonly Judgement[] {
  const { refusal, errors, record } = facts;
  const accepted = acceptance(facts);
  const isRefused = (refusal !== undefined || errors.length > 0) && record === undefined;
  const [reachable, authorized] = isRefused ? both('Unknown', 'Refused', REFUSED) : reach(record);
  const parts = [accepted, reachable, authorized];
  const fault =
    parts.find(({ status }) => status === 'False') ?? parts.find(({ status }) => status === 'Unknown');
  const ready: Judgement =
    fault === undefined
      ? { type: 'Ready', status: 'True', reason: reachable.reason, message: toolsIn(record) }
      : { ...fault, type: 'Ready', status: 'False' };
  return [ready, ...parts];
}

/** The condition `Accepted` of a definition; its message lists the faults, each with its place. */
export function acceptance({ refusal, errors, warnings = [], lastGood }: DefinitionFacts): Judgement {
  if (refusal !== undefined) return { type: 'Accepted', status: 'False', ...refusal };
  const [error] = errors;
  if (error === undefined) {
    const message = ['the definition is in force', ...warnings.map(placed)].join('; ');
    return { type: 'Accepted', status: 'True', reason: 'InForce', message };
  }
  const inForce =
    lastGood === undefined
      ? 'no version is in force'
      : `generation ${lastGood}, the last valid one, stays in force`;
  const message = `${inForce}: ${errors.map(placed).join('; ')}`;
  return { type: 'Accepted', status: 'False', reason: error.code, message };
}

function placed({ message, file }: Issue): string {
  return file === undefined ? message : `${file}: ${message}`;
}

const REFUSED = 'there is no server: its definition is refused, and no earlier version is in force';

function both(status: Judgement['status'], reason: string, message: string): readonly [Judgement, Judgement] {
  return [
    { type: 'Reachable', status, reason, message },
    { type: 'Authorized', status, reason, message },
  ];
}

function reach(record: ServiceRecord | undefined): readonly [Judgement, Judgement] {
  const state = record?.state ?? 'stopped';
  const remedy = readRemedy(record?.remedy);
  const fault = record?.error ?? record?.metadata.lastError ?? '';
  const said = remedy === undefined ? fault : remedyWords(remedy, 'status');
  switch (state) {
    case 'running':
    case 'connected':
      return both('True', 'Connected', 'the server answers');
    case 'idle':
      return both('True', 'Idle', 'the server ends when it is idle, and starts with the next call');
    case 'auth_required':
      return [
        { type: 'Reachable', status: 'True', reason: 'Connected', message: 'the server answers' },
        {
          type: 'Authorized',
          status: 'False',
          reason: 'UPSTREAM_AUTH_REQUIRED',
          message: said || 'the server requires callers to sign in',
        },
      ];
    case 'starting':
      return both('Unknown', 'Starting', 'the server is starting');
    case 'stopping':
      return both('Unknown', 'Stopping', 'the server is stopping');
    case 'stopped': {
      const isSuspended = record?.metadata.suspended === true;
      return isSuspended
        ? both(
            'Unknown',
            'UPSTREAM_SUSPENDED',
            `the server is stopped (spec.suspended: true); ${actionWords({ do: 'start' }, 'status')}`,
          )
        : both(
            'Unknown',
            'NotStarted',
            'the server is not started: autoStart is not true, and no start was requested',
          );
    }
    default:
      return [
        {
          type: 'Reachable',
          status: 'False',
          reason: codeIn(record),
          message: said || `the server is ${state}`,
        },
        {
          type: 'Authorized',
          status: 'Unknown',
          reason: codeIn(record),
          message: 'the server does not answer',
        },
      ];
  }
}

function codeIn(record: ServiceRecord | undefined): string {
  return record?.metadata.lastErrorCode ?? 'UPSTREAM_UNREACHABLE';
}

function toolsIn(record: ServiceRecord | undefined): string {
  const tools = record?.metadata.tools ?? 0;
  return `the server offers ${tools} tool${tools === 1 ? '' : 's'}`;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** RFC 3339 in whole seconds, as times of objects are. */
function secondsOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : `${new Date(Date.parse(text)).toISOString().slice(0, 19)}Z`;
}
