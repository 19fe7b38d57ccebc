import type { McpServerSpec } from './mcpServerKind.ts';

const CALLER_REFERENCE = /\$\{caller:[^{}]+\}/;

/** Whether callers need credentials of their own for a server. Source: requirement server.schema */
export function wantsCallers({ auth, env, headers }: McpServerSpec): boolean {
  const values = [...Object.values(env), ...Object.values(headers)];
  if (values.some((value) => CALLER_REFERENCE.test(value))) return true;
  return auth?.type === 'oauth' || auth?.forwardToken === true || auth?.tokenExchange?.enabled === true;
}
