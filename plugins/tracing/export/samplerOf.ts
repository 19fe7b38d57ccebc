import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import type { Sampler } from '@opentelemetry/sdk-trace';
import type { Env } from 'pegboard';
import { wrongVariable } from './variables.ts';

const PARENT_BASED = 'parentbased_';
const ROOTS: Readonly<Record<string, (env: Env) => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (env) => new TraceIdRatioBasedSampler(ratioIn(env)),
};

/** What OTEL_TRACES_SAMPLER names, else `parentbased_always_on`. @throws GatewayError PLUGIN_START
 *  Source: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
export function samplerOf(env: Env): Sampler {
  const name = env['OTEL_TRACES_SAMPLER']?.trim() || 'parentbased_always_on';
  const isParentBased = name.startsWith(PARENT_BASED);
  const makeRoot = ROOTS[isParentBased ? name.slice(PARENT_BASED.length) : name];
  if (makeRoot === undefined) {
    const names = Object.keys(ROOTS).flatMap((root) => [root, PARENT_BASED + root]);
    throw wrongVariable('OTEL_TRACES_SAMPLER', name, `use one of ${names.join(', ')}`);
  }
  const root = makeRoot(env);
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}

function ratioIn(env: Env): number {
  const text = env['OTEL_TRACES_SAMPLER_ARG'] || '1';
  const ratio = Number(text);
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw wrongVariable('OTEL_TRACES_SAMPLER_ARG', text, 'use a number from 0 to 1');
}
