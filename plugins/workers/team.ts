import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';
import { ConfigControl, GatewayError, isGatewayError, messageOf } from 'pegboard';
import type { JsonObject, Scope } from 'pegboard';
import { HttpListener } from '../contracts/http.ts';
import type { WorkersConfig } from './config.ts';
import { readLine } from './logLine.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import { ownSettings, workerCommand } from './workerCommand.ts';

/** One that has run so long is started again at once when it ends. */
const STEADY_MS = 60_000;
const FIRST_PAUSE_MS = 250;
/** Longer than an orderly end takes. */
const END_WITHIN_MS = 120_000;
const MAX_LAST_WORDS = 20;
/** Pings in a row without an answer, each after its part of `hungMs`: a computer that slept has missed one. */
const MAX_UNANSWERED = 6;

export interface TeamParts {
  readonly answer: (topic: string, question: unknown, from: number) => unknown;
  readonly told: (message: JsonObject) => void;
}
interface Member {
  readonly number: number;
  child: ChildProcess | undefined;
  startedAt: number;
  /** Ends in a row, each within STEADY_MS. */
  ends: number;
  /** Pings since its last answer. */
  unanswered: number;
  isReady: boolean;
  /** Whether it shall end. Until it has ended, it counts as living, and receives what the others send. */
  isLeaving: boolean;
  pause: NodeJS.Timeout | undefined;
  /** What it has written besides its log: the reason why it does not start. */
  lastWords: string[];
}

/** The other processes, each started again when it ends. */
export class Team {
  readonly #scope: Scope<WorkersConfig>;
  readonly #parts: TeamParts;
  #members: readonly Member[] = [];
  #place: unknown;
  #isStopping = false;
  #pings: NodeJS.Timeout | undefined;

  constructor(scope: Scope<WorkersConfig>, parts: TeamParts) {
    this.#scope = scope;
    this.#parts = parts;
  }

  living(): readonly number[] {
    return this.#members.filter(({ child }) => child !== undefined).map(({ number }) => number);
  }

  send(message: ToWorker): void {
    for (const { child } of this.#members) post(child, message);
  }

  /** Resolves once all are ready. @throws GatewayError PLUGIN_START with the words of one that ends before */
  async start(count: number): Promise<void> {
    this.#place = this.#placeNow();
    this.#members = Array.from({ length: count }, (_, at) => newMember(at + 1));
    await Promise.all(this.#members.map((member) => this.#begin(member)));
    if (count > 0) this.#scope.log.info('workers are ready', { count: count + 1 });
  }

  /** Pings all from now on, so that one that hangs does not keep its connections for ever. */
  watch({ hungMs }: WorkersConfig): void {
    clearInterval(this.#pings);
    if (hungMs > 0) this.#pings = setInterval(() => this.#ping(hungMs), hungMs / MAX_UNANSWERED).unref();
  }

  resize(count: number): void {
    for (const member of this.#members) {
      const isWanted = member.number <= count;
      // One that still ends is begun again once it has ended: two with one number would write one trail.
      if (isWanted) member.isLeaving = false;
      else if (!member.isLeaving) void this.#leave(member, 'there are fewer workers now');
    }
    const numbers = new Set(this.#members.map(({ number }) => number));
    const more = Array.from({ length: count }, (_, at) => newMember(at + 1)).filter(
      ({ number }) => !numbers.has(number),
    );
    this.#members = [...this.#members, ...more];
    for (const member of more) this.#beginAgain(member);
  }

  /** After a change of the address, each has the new sockets; after one of the vault or the trail, the command that fits it. */
  follow(): void {
    const place = this.#placeNow();
    if (this.#isStopping || isDeepStrictEqual(place, this.#place)) return;
    this.#place = place;
    for (const { child } of this.#members)
      if (child !== undefined) void endOf(child, 'the address, the vault or the trail has changed');
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#members.map((member) => this.#leave(member, 'the first process stops')));
  }

  /** Ends at once those that are asked to end, however long they would take. */
  endNow(): void {
    if (this.#isStopping) this.end();
  }

  end(): void {
    this.#isStopping = true;
    clearInterval(this.#pings);
    for (const member of this.#members) {
      clearTimeout(member.pause);
      member.child?.kill('SIGKILL');
    }
  }

  #ping(hungMs: number): void {
    for (const member of this.#members) {
      if (!member.isReady || member.child === undefined) continue;
      if (member.unanswered === MAX_UNANSWERED) {
        this.#scope.log.error('worker hangs; it is ended', { worker: member.number, hungMs });
        member.child.kill('SIGKILL');
      }
      member.unanswered += 1;
      post(member.child, { kind: 'ping' });
    }
  }

  #placeNow(): unknown {
    const settings = this.#scope.get(ConfigControl).settings();
    const { host, port } = settings.aggregator;
    return { host, port, own: ownSettings(settings, 1) };
  }

  async #leave(member: Member, reason: string): Promise<void> {
    member.isLeaving = true;
    clearTimeout(member.pause);
    const { child } = member;
    if (child === undefined) {
      this.#forget(member);
      return;
    }
    await endOf(child, reason);
  }

  #forget(gone: Member): void {
    this.#members = this.#members.filter((member) => member !== gone);
  }

  #begin(member: Member): Promise<void> {
    const sockets = this.#scope.get(HttpListener).share();
    const { args, env } = workerCommand(this.#scope, member.number, sockets.length);
    // Ctrl-C reaches all processes of a terminal: a session of its own leaves the order of the end to this process.
    const child = spawn(process.execPath, args, {
      env,
      detached: true,
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'pipe', ...sockets, 'ipc'],
    });
    member.child = child;
    member.startedAt = performance.now();
    member.isReady = false;
    member.unanswered = 0;
    member.lastWords = [];
    const { stderr } = child;
    if (stderr !== null) createInterface(stderr).on('line', (line) => this.#logLine(member, line));
    child.on('error', (error) => member.lastWords.push(messageOf(error)));
    return new Promise((resolve, reject) => {
      child.on('message', (message: FromWorker) => {
        if (message.kind === 'ask') void this.#answer(member, child, message);
        else if (message.kind === 'told') this.#pass(member, message);
        else if (message.kind === 'pong') member.unanswered = 0;
        else {
          member.isReady = true;
          resolve();
        }
      });
      child.once('close', (code, signal) => {
        const { isReady } = member;
        member.child = undefined;
        if (isReady) this.#ended(member, { code, signal });
        else reject(notStarted(member, code ?? signal));
      });
    });
  }

  #beginAgain(member: Member): void {
    this.#begin(member).then(
      () => this.#scope.log.info('worker is ready', { worker: member.number }),
      (error: unknown) => {
        if (!member.isLeaving)
          this.#scope.log.error('worker does not start', { worker: member.number, error });
        this.#ended(member);
      },
    );
  }

  #ended(member: Member, how?: JsonObject): void {
    if (member.isLeaving) this.#forget(member);
    if (this.#isStopping || member.isLeaving) return;
    const { number: worker } = member;
    member.ends = performance.now() - member.startedAt > STEADY_MS ? 1 : member.ends + 1;
    const most = this.#scope.config.restartMaxMs;
    const pauseMs = member.ends === 1 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (member.ends - 2), most);
    if (how !== undefined)
      this.#scope.log.warn('worker has ended; it is started again', { worker, ...how, pauseMs });
    member.pause = setTimeout(() => this.#beginAgain(member), pauseMs);
  }

  async #answer(
    { number }: Member,
    child: ChildProcess,
    { id, topic, question }: FromWorker & { kind: 'ask' },
  ): Promise<void> {
    try {
      const answer = await this.#parts.answer(topic, question, number);
      post(child, { kind: 'answer', id, answer });
    } catch (error) {
      const { code, message } = isGatewayError(error) ? error : unexpected(this.#scope, error);
      post(child, { kind: 'refused', id, code, message });
    }
  }

  #pass(from: Member, told: FromWorker & { kind: 'told' }): void {
    for (const member of this.#members) if (member !== from) post(member.child, told);
    this.#parts.told(told.message);
  }

  /** Its log becomes part of that of this process, with its number. */
  #logLine(member: Member, line: string): void {
    const read = readLine(line);
    if (read === undefined) {
      member.lastWords = [...member.lastWords, line].slice(-MAX_LAST_WORDS);
      if (member.isReady) this.#scope.log.warn('worker has written', { worker: member.number, line });
      return;
    }
    const { level, text, facts } = read;
    const isOwnEnd = text === 'ready' || text === 'stopped';
    this.#scope.log[isOwnEnd ? 'debug' : level](text, { ...facts, worker: member.number });
  }
}

function newMember(number: number): Member {
  return {
    number,
    child: undefined,
    startedAt: 0,
    ends: 0,
    unanswered: 0,
    isReady: false,
    isLeaving: false,
    pause: undefined,
    lastWords: [],
  };
}

/** Asks it to end, and ends it if it does not. */
async function endOf(child: ChildProcess, reason: string): Promise<void> {
  const late = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS).unref();
  const ended = new Promise((resolve) => child.once('exit', resolve));
  post(child, { kind: 'stop', reason });
  await ended;
  clearTimeout(late);
}

function post(child: ChildProcess | undefined, message: ToWorker): void {
  // One that has just ended tells by its exit.
  if (child?.connected === true) child.send(message, () => undefined);
}

function notStarted({ number, lastWords }: Member, how: number | string | null): GatewayError {
  const words = lastWords.length === 0 ? `it ended with ${how ?? 'nothing'}` : lastWords.join('\n');
  return new GatewayError('PLUGIN_START', `worker ${number} does not start: ${words}`);
}

function unexpected({ log }: Scope<WorkersConfig>, error: unknown): GatewayError {
  log.error('a question of a worker is not answered', { error });
  return new GatewayError('STORE_UNREACHABLE', 'the first process could not answer; its log says why');
}
