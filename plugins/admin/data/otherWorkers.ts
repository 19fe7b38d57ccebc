import { waitAtMost } from 'pegboard';
import type { Caller, JsonObject, Scope } from 'pegboard';
import { WorkerLine } from '../../contracts/processes.ts';
import type { CallsUnderWay, RunningCall } from './callsUnderWay.ts';
import { serversIn } from './servers.ts';
import { sessionFacts, sessionsIn } from './sessions.ts';
import type { SessionFacts } from './sessions.ts';

const TOPIC = 'admin';
const ANSWER_MS = 1_000;
/** Sessions and calls that a worker tells. */
const MAX_TOLD = 50;

/** Sessions, calls and servers of one worker. */
export interface WorkerFacts {
  readonly sessions: readonly SessionFacts[];
  /** How many there are. */
  readonly sessionCount: number;
  readonly calls: readonly RunningCall[];
  /** Name → state. */
  readonly servers: Readonly<Record<string, string>>;
}
export interface OtherWorker extends WorkerFacts {
  readonly worker: number;
}
interface Told {
  readonly round: number;
  readonly facts: WorkerFacts;
}
type Owner = Pick<Caller, 'subject' | 'issuer'>;

/** What the other workers of this gateway hold: each is asked when a page is shown, as each process is for its metrics. */
export class OtherWorkers {
  readonly #scope: Scope<unknown>;
  readonly #calls: CallsUnderWay;
  readonly #rounds = new Map<number, (worker: number, facts: WorkerFacts) => void>();
  #round = 0;

  /** Called in apply() only. */
  constructor(scope: Scope<unknown>, calls: CallsUnderWay) {
    this.#scope = scope;
    this.#calls = calls;
    scope.each(WorkerLine, (line) =>
      line.number > 0
        ? line.hear((message) => this.#tell(line, message))
        : line.answer(TOPIC, (told, from) => {
            const { round, facts } = told as Told;
            this.#rounds.get(round)?.(from, facts);
          }),
    );
  }

  /** Those that answer within a second. @param owner as ownerIn() says */
  async facts(owner?: Caller): Promise<readonly OtherWorker[]> {
    const line = this.#scope.find(WorkerLine);
    const missing = new Set(line?.living());
    if (line === undefined || missing.size === 0) return [];
    const round = (this.#round += 1);
    const found: OtherWorker[] = [];
    const all = new Promise<void>((resolve) => {
      this.#rounds.set(round, (worker, facts) => {
        if (missing.delete(worker)) found.push({ worker, ...facts });
        if (missing.size === 0) resolve();
      });
    });
    const of = owner && { subject: owner.subject, issuer: owner.issuer };
    line.tell({ topic: TOPIC, round, owner: of });
    await waitAtMost(ANSWER_MS, all);
    this.#rounds.delete(round);
    return found.sort((one, other) => one.worker - other.worker);
  }

  #tell(line: WorkerLine, { topic, round, owner }: JsonObject): void {
    if (topic !== TOPIC) return;
    const facts = this.#own(owner as Owner | undefined);
    line.ask(TOPIC, { round, facts }).catch((error: unknown) => {
      this.#scope.log.debug('the first process was not told what its pages asked for', { error });
    });
  }

  #own(owner: Caller | undefined): WorkerFacts {
    const services = serversIn(this.#scope);
    const sessions = sessionsIn(this.#scope, owner);
    const calls = owner === undefined ? this.#calls.all() : this.#calls.withoutSession(owner);
    return {
      sessions: sessions.slice(0, MAX_TOLD).map((one) => sessionFacts(one, services)),
      sessionCount: sessions.length,
      calls: calls.slice(0, MAX_TOLD),
      servers: Object.fromEntries(services.map((service) => [service.name, service.status().state])),
    };
  }
}
