import { CallError, LimitError } from './errors.ts';
import type { Limits } from './limits.ts';
import { isMap } from './maps.ts';
import { itemsOf } from './values.ts';
import { localZone } from './zones.ts';
import type { Zone } from './zones.ts';

/** Source of randomness: fills the array in place. */
export type RandomSource = (bytes: Uint8Array) => void;

/** Settings that the functions of one execution share. */
export interface EnvSettings {
  readonly lenient: boolean;
  readonly limits: Limits;
  readonly now: () => Date;
  readonly random: RandomSource;
  readonly timeZone: string;
  readonly readVariable: ((name: string) => string | undefined) | undefined;
  readonly lookUpHost: ((name: string) => string | undefined) | undefined;
}

const POLL_EVERY = 1024;

/** State and budget of one execution. */
export class Env {
  readonly settings: EnvSettings;
  readonly lenient: boolean;
  readonly limits: Limits;
  private readonly deadline: number;
  private remaining: number;
  private block: number;
  private untilPoll: number;
  private frozenNow: Date | undefined;
  private localZone: Zone | undefined;

  constructor(settings: EnvSettings) {
    this.settings = settings;
    this.lenient = settings.lenient;
    this.limits = settings.limits;
    this.deadline = performance.now() + settings.limits.maxTimeMs;
    this.remaining = settings.limits.maxNodes;
    this.block = Math.min(POLL_EVERY, this.remaining);
    this.untilPoll = this.block;
  }

  /** The clock, frozen at its first use in an execution. */
  now(): Date {
    this.frozenNow ??= this.settings.now();
    return this.frozenNow;
  }

  /** The zone that Go calls Local. */
  local(): Zone {
    this.localZone ??= localZone(this.settings.timeZone);
    return this.localZone;
  }

  /** Spends `cost` of the budget: evaluated nodes, or work worth that many nodes. @throws LimitError */
  charge(cost: number): void {
    this.untilPoll -= cost;
    if (this.untilPoll < 0) this.settle();
  }

  /** Spends for what a function reads what it spends for what it makes. @throws LimitError */
  chargeArguments(args: readonly unknown[]): void {
    for (const arg of args) this.chargeReading(arg);
  }

  /** Called before a value is read that may be long. @throws LimitError */
  chargeReading(value: unknown): void {
    if (typeof value === 'string') this.charge(value.length >> 10);
    else if (typeof value === 'object' && value !== null) {
      const items = itemsOf(value);
      if (items !== undefined) this.charge(items.length >> 6);
      // To count its keys may take as long as what is done with them.
      else if (isMap(value)) this.checkTime();
    }
  }

  private settle(): void {
    this.remaining -= this.block - this.untilPoll;
    if (this.remaining < 0) throw new LimitError('execution budget exceeded');
    this.block = Math.min(POLL_EVERY, this.remaining);
    this.untilPoll = this.block;
    this.checkTime();
  }

  /** Called between steps that may each take long. @throws LimitError */
  checkTime(): void {
    if (performance.now() > this.deadline) throw new LimitError('execution time exceeded');
  }

  /** Called before a text of this length is made. @throws CallError */
  checkString(length: number): void {
    if (length > this.limits.maxStringBytes) throw new CallError('result too large', 'limit');
    this.charge(length >> 10);
  }

  /** Called before a list of this length is made. @throws CallError */
  checkList(length: number): void {
    if (length > this.limits.maxListItems) throw new CallError('result too large', 'limit');
    this.charge(length >> 6);
  }

  checkDepth(depth: number): void {
    if (depth > this.limits.maxValueDepth) throw new CallError('value nested too deeply', 'limit');
  }
}
