import type { JsonObject } from 'pegboard';
import { isUnfilled } from '../definitions/secretsApart.ts';
import type { Apart } from '../definitions/secretsApart.ts';
import type { Wanted } from './wantedServer.ts';

/** The definition as it is written: one with placeholders is suspended, because each of its starts would fail, and one that waits for the user. */
export function definitionOf(
  spec: JsonObject,
  apart: Apart,
  { isHeld = false }: Pick<Wanted, 'isHeld'>,
): JsonObject {
  return { ...spec, autoStart: true, ...((isHeld || isUnfilled(apart)) && { suspended: true }) };
}
