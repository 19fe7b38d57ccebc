/** Expected outcome of the scored scenarios of one revision. */
export interface Expected {
  readonly revision: string;
  /** Scenarios that call by the server's own names, which are prefixed here. */
  readonly bareFails: readonly string[];
  readonly adaptedFails: readonly string[];
  /** Scenarios that test the gateway alone; without a server behind it all others must fail. */
  readonly nullPasses: readonly string[];
  /** Number of successful checks if other than two: one check less means that a scenario tests less. */
  readonly checks: Readonly<Record<string, number>>;
  /** The same of each scenario for clients that needs no sign-in, scored or not. */
  readonly clientChecks: Readonly<Record<string, number>>;
}

const OLDER: Expected = {
  revision: '2025-11-25',
  bareFails: [
    'completion-complete',
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
    'prompts-get-embedded-resource',
    'prompts-get-simple',
    'prompts-get-with-args',
    'prompts-get-with-image',
    'tools-call-audio',
    'tools-call-elicitation',
    'tools-call-embedded-resource',
    'tools-call-error',
    'tools-call-image',
    'tools-call-mixed-content',
    'tools-call-sampling',
    'tools-call-simple-text',
    'tools-call-with-logging',
    'tools-call-with-progress',
  ],
  adaptedFails: [],
  nullPasses: [
    'dns-rebinding-protection',
    'logging-set-level',
    'ping',
    'prompts-list',
    'resources-list',
    'server-initialize',
    'server-sse-multiple-streams',
    'tools-list',
  ],
  checks: {
    'elicitation-sep1034-defaults': 6,
    'elicitation-sep1330-enums': 6,
    'server-initialize': 3,
    'server-sse-multiple-streams': 1,
    'tools-list': 3,
  },
  clientChecks: {
    'elicitation-sep1034-client-defaults': 5,
    initialize: 1,
    'json-schema-2020-12-preservation': 9,
    'sse-retry': 3,
    tools_call: 2,
  },
};

/** Our servers use the older revision: their questions have keys of ours, and they report a missing capability in a result. */
const NEWER: Expected = {
  revision: '2026-07-28',
  bareFails: [
    'completion-complete',
    'input-required-result-basic-elicitation',
    'input-required-result-basic-list-roots',
    'input-required-result-basic-sampling',
    'input-required-result-capability-check',
    'input-required-result-multi-round',
    'input-required-result-multiple-input-requests',
    'input-required-result-non-tool-request',
    'input-required-result-request-state',
    'input-required-result-result-type',
    'input-required-result-tampered-state',
    'prompts-get-embedded-resource',
    'prompts-get-simple',
    'prompts-get-with-args',
    'prompts-get-with-image',
    'server-stateless',
    'tools-call-audio',
    'tools-call-embedded-resource',
    'tools-call-error',
    'tools-call-image',
    'tools-call-mixed-content',
    'tools-call-simple-text',
    'tools-call-with-progress',
  ],
  // The three with tools/list pass bare: behind the adapter that list is a tool's result, without a cache lifetime.
  adaptedFails: [
    'caching',
    'input-required-result-basic-elicitation',
    'input-required-result-unsupported-methods',
    'server-stateless',
    'tools-list',
  ],
  nullPasses: [
    'dns-rebinding-protection',
    'input-required-result-ignore-extra-params',
    'input-required-result-missing-input-response',
    'input-required-result-validate-input',
    'prompts-list',
    'resources-list',
    'sep-2164-resource-not-found',
    'server-sse-multiple-streams',
  ],
  checks: {
    'input-required-result-ignore-extra-params': 1,
    'input-required-result-multi-round': 4,
    'sep-2164-resource-not-found': 4,
    'server-sse-multiple-streams': 1,
  },
  clientChecks: {
    'http-custom-headers': 18,
    'http-invalid-tool-headers': 12,
    'http-standard-headers': 10,
    'json-schema-2020-12-preservation': 9,
    'json-schema-ref-no-deref': 1,
    'request-metadata': 5,
    'sep-2322-client-request-state': 5,
    tools_call: 2,
  },
};

export const EXPECTED: readonly Expected[] = [OLDER, NEWER];
