import type { Requirement } from './requirement.ts';

/** Sentences of planned features, grouped by the work that will add them. */
export const LATER_WORK: readonly Requirement[] = [
  ...later('orchestrator mode', {
    'orchestrator.resources':
      'Definitions are custom resources of a container orchestration platform in orchestrator mode.',
    'orchestrator.start':
      'If the client cannot be created at startup the service retries for about half a minute, then exits with an error; no fallback to files.',
    'orchestrator.namespace': 'namespace discovers MCP server and workflow resources.',
    'orchestrator.status':
      'status.lastRestartedAt mirrors the processed restartRequestedAt, status.nextRetryAfter the backoff.',
    'orchestrator.service.start':
      'core_service_start clears spec.suspended; when the service is down it also writes spec.restartRequestedAt.',
    'orchestrator.service.stop': 'core_service_stop writes spec.suspended true.',
    'orchestrator.service.restart':
      'core_service_restart writes spec.restartRequestedAt, which the reconciler processes once.',
    'orchestrator.caller':
      "Writes of core_mcpserver_*, core_workflow_* and core_service_* carry the caller's own id_token as bearer.",
    'orchestrator.reads':
      "Reads, validation, workflow execution and the service's own controller writes are unaffected by writes as caller.",
    'orchestrator.audience':
      'The token must carry writesAsCaller.orchestratorAudience; one without it gets an actionable re-login error.',
    'orchestrator.permission': 'Without permission the error names the missing verb, resource and namespace.',
    'orchestrator.role':
      'A deployment role allowing workflow edits is bound to all authenticated users by default (narrowable).',
    'orchestrator.chart': 'The deployment chart binds to 0.0.0.0 by default.',
  }),
];

function later(work: string, sentences: Readonly<Record<string, string>>): readonly Requirement[] {
  return Object.entries(sentences).map(([id, sentence]) => ({ id, sentence, later: work }));
}
