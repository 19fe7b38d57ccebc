import { ADMIN } from './requirements/admin.ts';
import { DEFINITIONS } from './requirements/definitions.ts';
import { ENDPOINT } from './requirements/endpoint.ts';
import { EXCHANGE } from './requirements/exchange.ts';
import { META_TOOLS } from './requirements/metaTools.ts';
import { METRICS } from './requirements/metrics.ts';
import { ORCHESTRATOR } from './requirements/orchestrator.ts';
import type { Requirement } from './requirements/requirement.ts';
import { SERVER_SIGN_IN } from './requirements/serverSignIn.ts';
import { SERVICE } from './requirements/service.ts';
import { SIGN_IN } from './requirements/signIn.ts';
import { WORKFLOWS } from './requirements/workflows.ts';

/** The requirements of the interface, sentence by sentence. */
export const REQUIREMENTS: readonly Requirement[] = [
  ...SERVICE,
  ...ENDPOINT,
  ...META_TOOLS,
  ...DEFINITIONS,
  ...WORKFLOWS,
  ...SIGN_IN,
  ...SERVER_SIGN_IN,
  ...EXCHANGE,
  ...METRICS,
  ...ADMIN,
  ...ORCHESTRATOR,
];
