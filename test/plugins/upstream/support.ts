import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ANYONE, Cancellation, ConfigControl, StateDirectory, readSchema } from '../../../kernel/index.ts';
import { ServiceSource } from '../../../plugins/contracts/services.ts';
import type { ServiceRecord } from '../../../plugins/contracts/services.ts';
import type {
  Call,
  CallResult,
  Client,
  GatewayError,
  JsonObject,
  EventType,
  KernelEvent,
  Plugin,
  Progress,
  Resource,
  ResourceDiff,
  ClientMeta,
} from '../../../kernel/index.ts';
import { definePlugin } from '../../../kernel/index.ts';
import { validate } from '../../../kernel/config/validate.ts';
import { Kernel } from '../../../kernel/kernel.ts';
import type { Log, LogData } from '../../../kernel/log.ts';
import { plugin } from '../../../plugins/upstream/index.ts';
import { ROOT } from '../../support/sources.ts';

/** Read once: a schema is compiled by its object. */
const SCHEMA = readSchema('kinds/mcpserver');

const HOSTILE = join(ROOT, 'test/plugins/upstream/fixtures/hostile.mjs');
const REVISIONS = join(ROOT, 'test/plugins/upstream/fixtures/revisions.mjs');
const TOLD = join(ROOT, 'test/plugins/upstream/fixtures/told.mjs');
/** Fixture whose servers have one resource in common. */
export const SHELF = join(ROOT, 'test/plugins/upstream/fixtures/shelf.mjs');
export const EVERYTHING = join(ROOT, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
export const FILESYSTEM = join(ROOT, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');

/** `spec` of the hostile fixture in one of its modes. */
export function hostile(mode = 'plain', more: JsonObject = {}, ...args: readonly string[]): JsonObject {
  return {
    type: 'stdio',
    autoStart: true,
    command: [process.execPath, HOSTILE, mode, ...args],
    timeout: 5,
    ...more,
  };
}

/** `spec` of a server that breaks a rule about revisions. */
export function revisions(mode: string, more: JsonObject = {}, ...args: readonly string[]): JsonObject {
  const command = [process.execPath, REVISIONS, mode, ...args];
  return { type: 'stdio', autoStart: true, command, timeout: 5, ...more };
}

/** `spec` of a server with these results, by method. */
export function told(results: JsonObject, more: JsonObject = {}): JsonObject {
  const command = [process.execPath, TOLD, JSON.stringify(results)];
  return { type: 'stdio', autoStart: true, command, timeout: 5, ...more };
}

export interface LogLine {
  readonly level: string;
  readonly text: string;
  readonly data: LogData;
}

/** A kernel that runs the plugin alone, with definitions passed to it as by the pipeline. */
export class Rig {
  readonly kernel: Kernel;
  readonly lines: LogLine[] = [];
  readonly events: KernelEvent[] = [];
  /** Implementation of ConfigControl.reload(). */
  onReload: () => Promise<void> = () => Promise.resolve();
  #resources: readonly Resource[] = [];
  readonly #observer: Plugin;

  constructor(statePath?: string) {
    this.kernel = new Kernel({
      log: this.#log(),
      provisions: [
        { id: StateDirectory.id, value: { path: statePath } },
        {
          id: ConfigControl.id,
          value: {
            directory: ROOT,
            resources: () => this.#resources,
            reload: () => this.onReload(),
          },
        },
      ],
    });
    this.#observer = definePlugin({
      name: 'observer',
      api: 1,
      configSchema: {},
      apply: (scope) => scope.tap('onEvent', (event) => void this.events.push(event)),
    });
  }

  async configure(config: JsonObject = {}, others: readonly Plugin[] = []): Promise<void> {
    const { value, findings } = validate(plugin.configSchema, structuredClone(config));
    if (findings.length > 0) throw new Error(JSON.stringify(findings));

    await this.kernel.move([
      { plugin, config: value },
      { plugin: this.#observer, config: {} },
      ...others.map((other) => ({ plugin: other, config: {} })),
    ]);
  }

  /** Replaces the current definitions with these. */
  async define(specs: Readonly<Record<string, JsonObject>>): Promise<void> {
    const next = Object.entries(specs).map(([name, spec]): Resource => {
      const { value } = validate(SCHEMA, spec);
      return { kind: 'MCPServer', name, spec: value as JsonObject, origin: { locate: () => ({}) } };
    });
    const specOf = (name: string): JsonObject | undefined =>
      this.#resources.find((one) => one.name === name)?.spec;
    const diff: ResourceDiff = {
      added: next.filter(({ name }) => specOf(name) === undefined),
      changed: next.filter(
        ({ name, spec }) =>
          specOf(name) !== undefined && JSON.stringify(specOf(name)) !== JSON.stringify(spec),
      ),
      removed: this.#resources.filter(({ name }) => !next.some((one) => one.name === name)),
    };
    this.#resources = next;
    await this.kernel.bus.hooks.onConfigApply.promise(diff);
  }

  tools(): readonly string[] {
    return this.kernel.catalogue
      .visibleTo(ANYONE)
      .map(({ name }) => name)
      .sort();
  }

  async hasTool(name: string, ms = 30_000): Promise<void> {
    const isThere = (): boolean => this.kernel.catalogue.shared(name) !== undefined && !this.isStale(name);
    await until(`tool ${name}`, isThere, ms);
  }
  isStale(name: string): boolean {
    return this.kernel.catalogue.shared(name)?.isStale?.() === true;
  }

  call(name: string, args: JsonObject = {}, options: CallExtras = {}): Promise<CallResult> {
    const tool = this.kernel.catalogue.shared(name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    const call: Call = {
      idempotencyKey: undefined,
      id: 1,
      tool,
      args,
      request: { ...ANYONE, ...(options.sessionId !== undefined && { sessionId: options.sessionId }) },
      parent: undefined,
      cancel: options.cancel ?? new Cancellation(),
      progress: options.progress,
      client: options.client,
      meta: options.meta,
      child: () => Promise.reject(new Error('not here')),
    };
    return Promise.resolve(tool.invoke(args, call));
  }

  async text(name: string, args: JsonObject = {}, options: CallExtras = {}): Promise<string> {
    const { content } = (await this.call(name, args, options)).value();
    return String(content[0]?.['text']);
  }

  /** The error of a failing call. */
  async refusal(name: string, args: JsonObject = {}, options: CallExtras = {}): Promise<GatewayError> {
    try {
      await this.call(name, args, options);
    } catch (error) {
      return error as GatewayError;
    }
    throw new Error(`${name} did not fail`);
  }

  refused(name: string): string {
    const verdict = this.kernel.catalogue.refusal(name, this.kernel.catalogue.shared(name), ANYONE);
    return verdict === undefined ? '' : `${verdict.code}: ${verdict.reason}; ${verdict.remedy}`;
  }

  service(name: string) {
    const [source] = this.kernel.registry.all(ServiceSource.id) as readonly ServiceSource[];
    const service = source?.services().find((one) => one.name === name);
    if (service === undefined) throw new Error(`no service ${name}`);
    return service;
  }
  status(name: string): ServiceRecord {
    return this.service(name).status();
  }
  reaches(name: string, state: string, ms = 30_000): Promise<void> {
    return until(`${name} ${state}`, () => this.status(name).state === state, ms);
  }

  told<T extends EventType>(type: T): readonly KernelEvent<T>[] {
    return this.events.filter((event): event is KernelEvent<T> => event.type === type);
  }
  stop(): Promise<void> {
    return this.kernel.stop();
  }

  #log(bound: LogData = {}): Log {
    const write =
      (level: string) =>
      (text: string, data: LogData = {}) => {
        this.lines.push({ level, text, data: { ...bound, ...data } });
      };
    return {
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
      child: (more) => this.#log({ ...bound, ...more }),
    };
  }
}

interface CallExtras {
  readonly cancel?: Cancellation;
  readonly progress?: (update: Progress) => void;
  readonly client?: Client;
  readonly meta?: ClientMeta;
  readonly sessionId?: string;
}

/** Polls a condition, because other processes emit no events here. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  ms = 30_000,
): Promise<void> {
  const end = performance.now() + ms;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not within ${ms} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Zombies do not count as alive. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

export function temporaryFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'pegboard-upstream-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
