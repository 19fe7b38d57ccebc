import type { Call, CallResult, Tool } from '../../../kernel/contracts/call.ts';
import type { KernelEvent } from '../../../kernel/contracts/events.ts';
import type { JsonObject } from '../../../kernel/contracts/json.ts';
import { definePlugin } from '../../../kernel/contracts/plugin.ts';
import { JsonVault } from '../../../plugins/kit/vault/jsonVault.ts';
import type { VaultWrite } from '../../../plugins/kit/vault/jsonVault.ts';
import { Vault } from '../../../plugins/contracts/vault.ts';
import { Channel, Peers } from '../../../plugins/contracts/processes.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { jsonResult, textResult } from '../../../kernel/lib/results.ts';
import { answerIn, callCore } from '../../support/coreTools.ts';
import type { Files } from '../../support/directory.ts';
import { bootGateway, moduleOf } from '../../support/gateway.ts';
import type { Gateway, GatewayOptions } from '../../support/gateway.ts';
import { gate } from '../../support/until.ts';

type Answer = (args: JsonObject, call: Call) => CallResult | Promise<CallResult>;

/** A real gateway with the plugin `workflow`, fixture tools, a vault and an event recorder. */
export interface Board extends Gateway {
  readonly events: KernelEvent[];
  /** Calls that tools received, as `name {args}`. */
  readonly calls: string[];
  readonly stored: Map<string, unknown>;
  /** Lets calls of the tool `wait` return. */
  readonly open: () => void;
  /** Resolves when `wait` is called. */
  readonly waiting: Promise<void>;
}

export interface BoardOptions {
  readonly files?: Files;
  readonly stored?: Map<string, unknown>;
  readonly withVault?: boolean;
  readonly config?: JsonObject;
  readonly tools?: readonly Tool[];
  readonly directory?: GatewayOptions['directory'];
  /** One of several that share `stored`. */
  readonly process?: TestProcess;
}
export interface TestProcess {
  readonly peers: Peers;
  readonly channel: Channel;
}

export async function bootBoard(options: BoardOptions = {}): Promise<Board> {
  const {
    files = {},
    stored = new Map<string, unknown>(),
    withVault = true,
    config = {},
    directory,
    process,
  } = options;
  const events: KernelEvent[] = [];
  const calls: string[] = [];
  const { opened, open } = gate();
  const { opened: waiting, open: begun } = gate();
  const answers: Readonly<Record<string, Answer>> = {
    echo: (args) => jsonResult(args),
    say: ({ text }) => textResult(String(text)),
    list: () => jsonResult({ items: [{ name: 'a' }, { name: 'b' }, { name: 'c' }], count: 3 }),
    fail: ({ text = 'it broke' }) => textResult(String(text), true),
    crash: () => {
      throw new GatewayError('UPSTREAM_CLOSED', 'server s went away during the call');
    },
    nothing: () => jsonResult(null),
    wait: async (_, call) => {
      begun();
      await new Promise<void>((resolve) => {
        void opened.then(resolve);
        call.cancel.onCancel(() => resolve());
      });
      return textResult(call.cancel.reason ?? 'done');
    },
  };
  const tools = Object.entries(answers).map(([name, answer]): Tool => ({
    name: `x_${name}`,
    kind: 'tool',
    description: name,
    inputSchema: { type: 'object' },
    ...(name === 'wait' ? {} : { annotations: { readOnlyHint: name !== 'crash' } }),
    invoke: (args, call) => {
      calls.push(`${name} ${JSON.stringify(args)}`);
      return answer(args, call);
    },
  }));
  const fixture = definePlugin({
    name: 'fixture',
    api: 1,
    configSchema: { type: 'object' },
    provides: [...(withVault ? [Vault] : []), ...(process ? [Channel, Peers] : [])],
    apply(scope) {
      if (withVault) scope.provide(Vault, new StoredVault(stored));
      if (process !== undefined) {
        scope.provide(Channel, process.channel);
        scope.provide(Peers, process.peers);
      }
      for (const tool of [...tools, ...(options.tools ?? [])]) scope.addTool(tool);
      scope.tap('onEvent', (event) => void events.push(event));
    },
  });
  const gateway = await bootGateway({
    builtIns: ['store-file', 'workflow'],
    ...(directory && { directory }),
    files: {
      'config.yaml': `plugins: { fixture: { module: ./fixture.mjs }, workflow: { config: ${JSON.stringify(config)} } }\n`,
      'fixture.mjs': moduleOf(fixture),
      ...files,
    },
  });
  return { ...gateway, events, calls, stored, open, waiting };
}

class StoredVault extends JsonVault {
  readonly #stored: Map<string, unknown>;
  constructor(stored: Map<string, unknown>) {
    super();
    this.#stored = stored;
  }
  get(key: string): Promise<unknown> {
    return Promise.resolve(structuredClone(this.#stored.get(key)));
  }
  protected write({ key, json, expected }: VaultWrite): Promise<boolean> {
    const present = this.#stored.has(key) ? JSON.stringify(this.#stored.get(key)) : null;
    const isDone = expected === undefined || expected === present;
    if (isDone) this.#stored.set(key, JSON.parse(json));
    return Promise.resolve(isDone);
  }
  take(key: string): Promise<unknown> {
    const value = this.#stored.get(key);
    this.#stored.delete(key);
    return Promise.resolve(value);
  }
  delete(key: string): Promise<boolean> {
    return Promise.resolve(this.#stored.delete(key));
  }
  list(prefix: string): Promise<readonly string[]> {
    return Promise.resolve([...this.#stored.keys()].filter((key) => key.startsWith(prefix)).sort());
  }
}

/** Runs a workflow. @returns its document, also that of a failed run */
export async function run(board: Board, name: string, args: JsonObject = {}): Promise<JsonObject> {
  return answerIn(await callCore(board, `workflow_${name}`, args));
}

export type Row = Readonly<Record<string, unknown>>;
export function stepsOf(document: JsonObject): readonly Row[] {
  return document['steps'] as readonly Row[];
}

/** A definition file in resource form. */
export function file(name: string, spec: JsonObject, labels?: JsonObject): Files {
  const text = JSON.stringify({
    apiVersion: 'pegboard.dev/v1alpha1',
    kind: 'Workflow',
    metadata: { name, ...(labels && { labels }) },
    spec,
  });
  return { [`workflows/${name}.yaml`]: text };
}
