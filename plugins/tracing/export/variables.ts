import { GatewayError } from 'pegboard';
import type { Env } from 'pegboard';

/** @returns a whole number, or undefined if the variable is not set @throws GatewayError PLUGIN_START */
export function wholeNumberIn(env: Env, name: string, least = 1): number | undefined {
  const text = env[name] ?? '';
  if (text === '') return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= least) return value;
  throw wrongVariable(name, text, `use a whole number from ${least}`);
}

export function wrongVariable(name: string, text: string, fix: string): GatewayError {
  return new GatewayError('PLUGIN_START', `${name} is "${text}"; ${fix}`);
}
