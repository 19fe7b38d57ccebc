import { GatewayError, messageOf } from 'pegboard';
import type { VaultRedisConfig } from './config.ts';
import { userOf } from './connect.ts';

/** An error that lasts until an operator changes Redis or the configuration; others pass with the connection. */
class Refusal extends GatewayError<'STORE_UNREACHABLE'> {
  constructor(text: string, cause?: unknown) {
    super('STORE_UNREACHABLE', text, { cause });
  }
}

/** A replica takes no writes; its name may lead to another server by now. */
export class ReplicaRefusal extends Refusal {}

export function refusal(text: string, cause?: unknown): GatewayError {
  return new Refusal(text, cause);
}

export function isRefusal(error: unknown): boolean {
  return error instanceof Refusal;
}

/** Tries what this plugin needs. @param what names the operation
 *  @throws GatewayError STORE_UNREACHABLE that says which right is missing, and how to give it */
export async function permitted<T>(
  config: VaultRedisConfig,
  what: string,
  operation: () => Promise<T>,
): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw rightRefusal(config, what, error) ?? error;
  }
}

/** @returns undefined if something else than a right is missing */
function rightRefusal(config: VaultRedisConfig, what: string, error: unknown): GatewayError | undefined {
  const words = wordsOf(error);
  const text = `Redis refuses ${what}: ${words}`;
  if (/NOPERM|ACL failure|can't run this command/i.test(words))
    return refusal(`${text}; give its user the rights: ${aclLine(config)}`, error);
  // Of a command that was renamed, and of proxies that do not pass it on.
  if (!/unknown command|Unknown Redis command/i.test(words)) return undefined;
  const fix = 'allow the command (rename-command), or connect to Redis itself instead of a proxy';
  return refusal(`${text}; ${fix}`, error);
}

/** What the server said, without what this plugin wraps around it. */
function wordsOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  return messageOf(cause ?? error);
}

/** The least rights, to copy. */
function aclLine(config: VaultRedisConfig): string {
  const { keyPrefix, cluster } = config;
  const rights = '+@read +@write +@connection +@pubsub +@scripting +info +time';
  const more = cluster ? ' +cluster|slots' : '';
  return `ACL SETUSER ${userOf(config)} ~${keyPrefix}* &${keyPrefix}* ${rights}${more}`;
}
