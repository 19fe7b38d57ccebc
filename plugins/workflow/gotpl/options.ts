import { randomFillSync } from 'node:crypto';
import type { EnvSettings, RandomSource } from './env.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import type { Limits } from './limits.ts';

/** `strict` treats JSON numbers as float64, as Go does; `lenient` also accepts exact integers as int. */
export type NumberMode = 'strict' | 'lenient';

/** Settings of a template, all optional. */
export interface TemplateOptions {
  /** Name of the main template in messages; default `template`. */
  readonly name?: string;
  /** Default `lenient`. */
  readonly numbers?: NumberMode;
  /** Those that differ from DEFAULT_LIMITS. */
  readonly limits?: Partial<Limits>;
  /** Clock for now, ago and invalid dates; read once per execution. */
  readonly now?: () => Date;
  /** Randomness for rand*, shuffle, uuidv4 and keys; default the system's. */
  readonly random?: RandomSource;
  /** IANA name of Go's `Local` zone; default UTC. */
  readonly timeZone?: string;
  /** Names of functions to run although policy denies them by default. */
  readonly allow?: readonly string[];
  /** Reads variables for env and expandenv, if these are allowed; without it every variable is empty. */
  readonly readVariable?: (name: string) => string | undefined;
  /** Resolves names for getHostByName, if allowed; undefined: host not found. Without it the function fails. */
  readonly lookUpHost?: (name: string) => string | undefined;
}

export function settingsOf(options: TemplateOptions): EnvSettings {
  return {
    lenient: options.numbers !== 'strict',
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    now: options.now ?? (() => new Date()),
    random: options.random ?? ((bytes) => void randomFillSync(bytes)),
    timeZone: options.timeZone ?? 'UTC',
    readVariable: options.readVariable,
    lookUpHost: options.lookUpHost,
  };
}
