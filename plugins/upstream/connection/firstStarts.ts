import { installationOf } from '../../kit/definitions/runnerOf.ts';
import type { ServerDefinition } from '../definition.ts';
import { StartQueue } from './startQueue.ts';
import type { StartTurn } from './startQueue.ts';

/** Each unpacks thousands of files: many at a time make one another slow. */
const MAX_INSTALLING = 3;
/** A runner that takes longer may wait for a person, as for a sign-in in a browser. */
const PASS_ON_MS = 60_000;

/** The starts of runners, which may install their servers: a few at a time, until each has started once. */
export class FirstStarts {
  readonly #queue: StartQueue;
  readonly #installed = new Set<string>();

  constructor(maxStarting: () => number) {
    this.#queue = new StartQueue(() => Math.min(MAX_INSTALLING, maxStarting()), PASS_ON_MS);
  }

  /** Two that install the same packages would write into the same folder. @returns undefined if nothing is to be installed */
  turn({ runner, command }: ServerDefinition): StartTurn | undefined {
    if (runner === undefined) return undefined;
    const key = installationOf(command);
    return this.#installed.has(key) ? undefined : this.#queue.turn(key);
  }

  /** The server has answered. */
  started({ runner, command }: ServerDefinition): void {
    if (runner === undefined) return;
    const key = installationOf(command);
    this.#installed.add(key);
    this.#queue.release(key);
  }
}

/** The attempts of one connection to start its process. */
export class ProcessStart {
  readonly #all: FirstStarts;
  #turn: StartTurn | undefined;
  #begunAt: number | undefined;
  #isUrgent = false;

  constructor(all: FirstStarts) {
    this.#all = all;
  }

  /** The attempt waits for no other: a call needs it, or it was requested. */
  hurry(): void {
    this.#isUrgent = true;
    this.#turn?.hurry();
  }

  /** Whether the process runs and has not answered yet. */
  get isUnderWay(): boolean {
    return this.#begunAt !== undefined;
  }
  /** What to do if it took too long; empty if there is no runner. */
  fix({ runner }: ServerDefinition): string {
    return runner === undefined || !this.isUnderWay
      ? ''
      : `; if ${runner} was still installing it, raise startTimeout`;
  }
  /** What a runner is doing, for people; undefined if there is none, or nothing to say. */
  progress({ runner, startTimeoutMs }: ServerDefinition): string | undefined {
    if (runner === undefined) return undefined;
    if (this.#turn?.isWaiting === true) return `${runner} waits: others install their servers first`;
    if (this.#begunAt === undefined) return undefined;
    const seconds = Math.floor((performance.now() - this.#begunAt) / 1_000);
    return `${runner} is still installing or starting the server: ${seconds} s, at most ${startTimeoutMs / 1_000} s`;
  }

  /** Resolves when the attempt may begin, or has been superseded. @param isNeeded whether calls wait for it */
  async turn(definition: ServerDefinition, isNeeded: boolean): Promise<void> {
    this.#turn = this.#all.turn(definition);
    if (this.#isUrgent || isNeeded) this.#turn?.hurry();
    await this.#turn?.come;
  }
  /** The process runs. */
  begun(): void {
    this.#begunAt = performance.now();
  }
  answered(definition: ServerDefinition): void {
    this.#all.started(definition);
    this.superseded();
  }
  superseded(): void {
    this.#turn?.end();
    [this.#turn, this.#begunAt] = [undefined, undefined];
  }
  /** The attempt has succeeded or failed. */
  over(): void {
    this.#isUrgent = false;
  }
}
