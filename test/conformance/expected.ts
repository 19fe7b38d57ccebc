/** Scored scenarios that do not pass bare: they call by the server's own names, which are prefixed here. */
export const BARE_FAILS: readonly string[] = [
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
];
/** Scored scenarios that look at the gateway alone; without a server behind it all others must fail. */
export const NULL_PASSES: readonly string[] = [
  'dns-rebinding-protection',
  'logging-set-level',
  'ping',
  'prompts-list',
  'resources-list',
  'server-initialize',
  'server-sse-multiple-streams',
  'tools-list',
];
/** Successful checks where there are not two: one check less is a scenario that has become emptier. */
export const CHECKS: Readonly<Record<string, number>> = {
  'elicitation-sep1034-defaults': 6,
  'elicitation-sep1330-enums': 6,
  'server-initialize': 3,
  'server-sse-multiple-streams': 1,
  'tools-list': 3,
};
