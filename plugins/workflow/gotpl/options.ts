import { randomFillSync } from 'node:crypto';
import type { EnvSettings, RandomSource } from './env.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import type { Limits } from './limits.ts';

/** `strict` takes JSON numbers for float64, as Go does; `lenient` lets exact integers work as int as well. */
export type NumberMode = 'strict' | 'lenient';

export interface TemplateOptions {
  /** Name of the main template in messages; default `template`. */
  readonly name?: string;
  /** Default `lenient`. */
  readonly numbers?: NumberMode;
  readonly limits?: Partial<Limits>;
  /** Clock of now, ago and dates that are no date; read once per execution. */
  readonly now?: () => Date;
  /** Randomness of rand*, shuffle, uuidv4 and keys; default the system's. */
  readonly random?: RandomSource;
  /** IANA name of the zone Go calls Local; default UTC. */
  readonly timeZone?: string;
  /** Names of functions to run although policy denies them by default. */
  readonly allow?: readonly string[];
  /** What env and expandenv read, if they are allowed; without it every variable is empty. */
  readonly readVariable?: (name: string) => string | undefined;
  /** What getHostByName answers, if it is allowed; undefined: there is no such host. Without it the function fails. */
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
