import { BYTES_PER_TOKEN, estimatedTokens } from '../../kit/metrics/estimatedTokens.ts';
import type { HistogramSample, Labels, Metric, MetricSource, Sample } from '../../contracts/metrics.ts';
import { processUsage } from './processUsage.ts';
import type { Usage } from './processUsage.ts';
import type { Server } from './server.ts';
import type { ToolReport } from '../connection/toolReport.ts';

interface About {
  /** Below `pegboard.upstream.` */
  readonly name: string;
  readonly kind: 'counter' | 'gauge';
  readonly adds?: boolean;
  readonly unit: string;
  readonly description: string;
}
interface Spent {
  readonly byPid: Map<number, number>;
  seconds: number;
}

/** The servers as they are when an exporter asks. */
export class UpstreamMetrics implements MetricSource {
  readonly #servers: () => readonly Server[];
  readonly #report: (server: string) => ToolReport;
  readonly #catalogueBytes: (server: string) => number;
  /** CPU time also of processes that have ended, so that it never falls. */
  readonly #spent = new Map<string, Spent>();
  /** Read once for all metrics of one answer. */
  #usages: ReadonlyMap<Server, readonly (readonly [pid: number, usage: Usage])[]> | undefined;

  /** @param servers only servers that exist have series
   *  @param catalogueBytes JSON of the declarations of its offered tools */
  constructor(
    servers: () => readonly Server[],
    report: (server: string) => ToolReport,
    catalogueBytes: (server: string) => number,
  ) {
    this.#servers = servers;
    this.#report = report;
    this.#catalogueBytes = catalogueBytes;
  }

  get metrics(): readonly Metric[] {
    const report = this.#report;
    return [
      this.#gauge(
        { name: 'up', unit: '1', description: 'Whether the server is connected: 1 or 0.' },
        ({ state }) => Number(state === 'ready'),
      ),
      this.#each(
        {
          name: 'state',
          kind: 'gauge',
          unit: '1',
          description: 'The state of each server: 1 for the one that it is in.',
        },
        ({ state }) => [{ value: 1, labels: { state } }],
      ),
      this.#gauge(
        { name: 'state.age', unit: 's', description: 'How long it has been in its state.' },
        ({ connection: { status } }) => secondsSince(status.since),
      ),
      this.#gauge(
        { name: 'failures', unit: '{attempt}', description: 'Attempts in a row that have failed.' },
        ({ connection: { retry } }) => retry.failures,
      ),
      this.#gauge(
        {
          name: 'next.attempt',
          unit: 's',
          description: 'Until it is tried again; absent if that is not planned.',
        },
        ({ connection: { retry } }) =>
          retry.at === undefined ? undefined : Math.max(0, -secondsSince(retry.at)),
      ),
      this.#each(
        {
          name: 'restarts',
          kind: 'counter',
          unit: '{restart}',
          description: 'Times that it was begun again, by cause: requested, or automatic.',
        },
        ({ connection: { counts } }) => [
          { value: counts.requested, labels: { cause: 'requested' } },
          { value: counts.automatic, labels: { cause: 'automatic' } },
        ],
      ),
      this.#each(
        {
          name: 'losses',
          kind: 'counter',
          unit: '{loss}',
          description: 'Connections that ended by themselves.',
        },
        ({ connection: { counts } }) => [{ value: counts.losses }],
      ),
      this.#connects(),
      this.#each(
        {
          name: 'connections',
          kind: 'gauge',
          adds: true,
          unit: '{connection}',
          description: 'Connections by use: shared, own, warm.',
        },
        connectionsOf,
      ),
      this.#gauge(
        { name: 'tools', unit: '{tool}', description: 'Tools that are offered.' },
        ({ name }) => report(name).count,
      ),
      this.#gauge(
        {
          name: 'tools.malformed',
          unit: '{tool}',
          description: 'Tools that are left out because of their declaration.',
        },
        ({ name }) => report(name).malformed.length,
      ),
      this.#gauge(
        { name: 'collisions', unit: '{tool}', description: 'Tools whose name another tool has.' },
        ({ name }) => report(name).collisions.length,
      ),
      this.#gauge(
        { name: 'catalogue.age', unit: 's', description: 'Since its tools were read.' },
        ({ connection: { conversation } }) => {
          const { listedAt } = conversation.lists;
          return listedAt === undefined ? undefined : secondsSince(listedAt);
        },
      ),
      this.#gauge(
        { name: 'catalogue.size', unit: 'By', description: 'JSON of the declarations of its tools.' },
        ({ name }) => this.#catalogueBytes(name),
      ),
      this.#gauge(
        {
          name: 'catalogue.tokens',
          unit: '{token}',
          description: `What they would take of an agent's context: a token for ${BYTES_PER_TOKEN} bytes, as an estimate.`,
        },
        ({ name }) => estimatedTokens(this.#catalogueBytes(name)),
      ),
      this.#each(
        {
          name: 'process.cpu.time',
          kind: 'counter',
          unit: 's',
          description: 'CPU time of its processes (Linux).',
        },
        (server) => this.#cpuOf(server),
      ),
      this.#gauge(
        {
          name: 'process.memory.usage',
          unit: 'By',
          description: 'Resident memory of its processes (Linux).',
        },
        (server) => {
          const own = this.#usagesNow().get(server) ?? [];
          return own.length === 0 ? undefined : own.reduce((sum, [, { rssBytes }]) => sum + rssBytes, 0);
        },
      ),
    ];
  }

  /** @param read undefined: the server has no value */
  #gauge(about: Omit<About, 'kind'>, read: (server: Server) => number | undefined): Metric {
    return this.#each({ ...about, kind: 'gauge' }, (server) => {
      const value = read(server);
      return value === undefined ? [] : [{ value }];
    });
  }

  #each({ name, ...about }: About, read: (server: Server) => readonly Sample[]): Metric {
    const samplesOf = (server: Server): readonly Sample[] =>
      read(server).map(({ value, labels }) => ({ value, labels: { server: server.name, ...labels } }));
    return { name: `pegboard.upstream.${name}`, ...about, read: () => this.#servers().flatMap(samplesOf) };
  }

  #connects(): Metric {
    return {
      name: 'pegboard.upstream.connect.duration',
      kind: 'histogram',
      unit: 's',
      description: 'Time to connect: from the greeting until its lists were read.',
      read: (): readonly HistogramSample[] =>
        this.#servers().flatMap(({ name, connection: { counts } }) => counts.connects({ server: name })),
    };
  }

  #cpuOf(server: Server): readonly Sample[] {
    const now = this.#usagesNow().get(server) ?? [];
    const known = this.#spent.get(server.name);
    if (known === undefined && now.length === 0) return [];
    const spent = known ?? { byPid: new Map<number, number>(), seconds: 0 };
    this.#spent.set(server.name, spent);
    const former = new Map(spent.byPid);
    spent.byPid.clear();
    for (const [pid, { cpuSeconds }] of now) {
      spent.seconds += Math.max(0, cpuSeconds - (former.get(pid) ?? 0));
      spent.byPid.set(pid, cpuSeconds);
    }
    return [{ value: spent.seconds }];
  }

  #usagesNow(): ReadonlyMap<Server, readonly (readonly [number, Usage])[]> {
    if (this.#usages !== undefined) return this.#usages;
    const servers = this.#servers();
    this.#usages = new Map(servers.map((server) => [server, usagesOf(server)]));
    setImmediate(() => (this.#usages = undefined));
    const names = new Set(servers.map(({ name }) => name));
    for (const name of this.#spent.keys()) if (!names.has(name)) this.#spent.delete(name);
    return this.#usages;
  }
}

function usagesOf({ connection, own }: Server): readonly (readonly [number, Usage])[] {
  const { pid } = connection.conversation;
  return [...(pid === undefined ? [] : [pid]), ...own.pids].flatMap((one) => {
    const usage = processUsage(one);
    return usage === undefined ? [] : [[one, usage] as const];
  });
}

function connectionsOf({ state, own }: Server): readonly (Sample & { readonly labels: Labels })[] {
  return [
    { value: Number(state === 'ready'), labels: { use: 'shared' } },
    { value: own.size, labels: { use: 'own' } },
    { value: own.warm, labels: { use: 'warm' } },
  ];
}

function secondsSince(ms: number): number {
  return (Date.now() - ms) / 1_000;
}
