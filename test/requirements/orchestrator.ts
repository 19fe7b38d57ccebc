import type { Requirement } from './requirement.ts';

const EDITOR = 'heavy/writesAsCaller: lets an editor do all, by the name of the editor in the audit log';
const OTHERS =
  'heavy/writesAsCaller: refuses others each write with the missing verb, resource and namespace, and no read';
const ONCE =
  'heavy/orchestrator: stops, starts and restarts a server once for each newer request, and mirrors the request';
const LIVE =
  'e2e/orchestratorMode: takes definitions from custom resources of its namespace, live, and of no other, and writes what has become of them';
const SIGNED_IN =
  'e2e/orchestratorMode: lets a person who has signed in do all, with the id_token of that sign-in, which is for the API server';
const VIEWER =
  'e2e/orchestratorMode: refuses others each write with the missing verb, resource and namespace, and no read and no run of a workflow';
const OWN =
  'e2e/orchestratorMode: reads, and writes status, Events, runs and the Lease, with its own credential, and nothing else';
const SHARED_STORE =
  'plugins/upstream/server/managedService: requests a start and a restart in the definition of a store that several processes may use, each later than the last';

/** Definitions as custom resources. */
export const ORCHESTRATOR: readonly Requirement[] = [
  {
    id: 'orchestrator.resources',
    sentence: 'Definitions are custom resources of a container orchestration platform in orchestrator mode.',
    tests: [
      LIVE,
      'heavy/orchestrator: takes definitions from custom resources, live, and writes what has become of them',
      'heavy/orchestrator: keeps the last good version of one that is wrong, says why at the object, and applies the others',
      'heavy/orchestrator: keeps what is in force while the API server is away, and takes later edits',
      'heavy/orchestrator: is right after each of 200 replacements within 50 ms',
      'heavy/thousandServers: connects, lists and writes them all Ready, applies an edit of one, and replicas write nothing more',
    ],
  },
  {
    id: 'orchestrator.start',
    sentence:
      'If the client cannot be created at startup the service retries for about half a minute, then exits with an error; no fallback to files.',
    tests: [
      'e2e/orchestratorMode: does not start without the API server: it retries, by default for half a minute, then exits with 4 and takes no files',
      'heavy/orchestrator: does not start without the API server: it retries, then exits with 4 and takes no files',
    ],
  },
  {
    id: 'orchestrator.namespace',
    sentence: 'namespace discovers MCP server and workflow resources.',
    tests: [
      LIVE,
      'heavy/orchestrator: takes definitions from custom resources, live, and writes what has become of them',
    ],
  },
  {
    id: 'orchestrator.status',
    sentence:
      'status.lastRestartedAt mirrors the processed restartRequestedAt, status.nextRetryAfter the backoff.',
    tests: [
      ONCE,
      'heavy/orchestrator: counts the restart of a server that cannot be reached as done, and shows when it is tried again',
      'heavy/orchestrator: writes no status while nothing changes',
      'heavy/orchestrator: lets one of two processes write status, and the other within 15 s of its end',
      'plugins/store-kubernetes/status/serverObjectStatus: names no next attempt of a server that is up, and since when it is',
    ],
  },
  {
    id: 'orchestrator.service.start',
    sentence:
      'core_service_start clears spec.suspended; when the service is down it also writes spec.restartRequestedAt.',
    tests: [EDITOR, SHARED_STORE],
  },
  {
    id: 'orchestrator.service.stop',
    sentence: 'core_service_stop writes spec.suspended true.',
    tests: [EDITOR, SHARED_STORE, ONCE],
  },
  {
    id: 'orchestrator.service.restart',
    sentence: 'core_service_restart writes spec.restartRequestedAt, which the reconciler processes once.',
    tests: [EDITOR, SHARED_STORE, ONCE],
  },
  {
    id: 'orchestrator.caller',
    sentence:
      "Writes of core_mcpserver_*, core_workflow_* and core_service_* carry the caller's own id_token as bearer.",
    tests: [
      SIGNED_IN,
      VIEWER,
      EDITOR,
      'heavy/writesAsCaller: refuses callers without an id_token, and never writes with the identity of the service',
    ],
  },
  {
    id: 'orchestrator.reads',
    sentence:
      "Reads, validation, workflow execution and the service's own controller writes are unaffected by writes as caller.",
    tests: [VIEWER, OWN, OTHERS],
  },
  {
    id: 'orchestrator.audience',
    sentence:
      'The token must carry writesAsCaller.orchestratorAudience; one without it gets an actionable re-login error.',
    tests: [
      'e2e/orchestratorMode: sends nothing for a token without the audience, and says how to get one',
      SIGNED_IN,
      'heavy/writesAsCaller: sends nothing for a token without the audience, and says how to get one',
      'heavy/writesAsCaller: requests the audience when people sign in, and explains why their issuer is not trusted',
    ],
  },
  {
    id: 'orchestrator.permission',
    sentence: 'Without permission the error names the missing verb, resource and namespace.',
    tests: [
      VIEWER,
      OTHERS,
      'plugins/store-kubernetes/store/storeError: name the verb, the resource and the namespace of a missing right, and whose it is',
    ],
  },
  {
    id: 'orchestrator.role',
    sentence:
      'A deployment role allowing workflow edits is bound to all authenticated users by default (narrowable).',
    tests: [
      'examples/helm/chart: let every authenticated user edit workflows, nothing else, and fewer or none if the values say so',
      'heavy/chart: lets every authenticated user edit workflows, nothing else, and fewer if the values say so',
    ],
  },
  {
    id: 'orchestrator.chart',
    sentence: 'The deployment chart binds to 0.0.0.0 by default.',
    tests: [
      'examples/helm/chart: listen on all addresses of the pod, unless the values say otherwise',
      'heavy/chart: listens on all addresses of the pod, unless the values say otherwise',
    ],
  },
];
