import { validate } from '../../../kernel/config/validate.ts';
import type { Caller, InboundRequest } from '../../../kernel/contracts/request.ts';
import { isReply } from '../../../kernel/contracts/request.ts';
import type { JsonObject } from '../../../kernel/contracts/json.ts';
import type { Tool, ToolResult } from '../../../kernel/contracts/call.ts';
import type { Plugin, PluginDefinition, Scope } from '../../../kernel/contracts/plugin.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import { plugin as metatools } from '../../../plugins/metatools/index.ts';
import { plugin as toolsets } from '../../../plugins/toolsets/index.ts';
import { plugin as vault } from '../../../plugins/vault-memory/index.ts';
import { makeKernel, pluginOf, toolOf, wantedOf } from '../../support/kernel.ts';
import { factsOf } from '../../support/requests.ts';

export interface BoardOptions {
  readonly tools?: readonly Tool[];
  /** Configuration of the plugin metatools. */
  readonly config?: JsonObject;
  readonly presets?: JsonObject;
  /** False leaves the plugin toolsets out. */
  readonly withToolsets?: boolean;
  /** False leaves the vault out. */
  readonly withVault?: boolean;
  /** Further setup of the plugin that registers the tools. */
  readonly source?: (scope: Scope<unknown>) => void;
  readonly provides?: PluginDefinition<unknown>['provides'];
}
export interface Asking {
  readonly headers?: Readonly<Record<string, string>>;
  readonly caller?: Caller;
  readonly sessionId?: string;
}
export interface Board {
  readonly kernel: Kernel;
  open(asking?: Asking): Promise<InboundRequest>;
  /** @throws GatewayError of the meta-tool */
  call(name: string, args?: JsonObject, asking?: Asking): Promise<ToolResult>;
  /** The JSON of the first text item. */
  ask(name: string, args?: JsonObject, asking?: Asking): Promise<Answer>;
  reconfigure(options: BoardOptions): Promise<void>;
}
/** An answer in the form that tests expect. */
export type Answer = JsonObject & {
  readonly tools: readonly (JsonObject & { readonly name: string; readonly score: number })[];
};

/** The plugins metatools and toolsets with a source of tools on a real kernel; requests pass the gate. */
export async function boardOf(options: BoardOptions = {}): Promise<Board> {
  const { kernel } = makeKernel();
  const source = sourceOf(options);
  const reconfigure = async (next: BoardOptions): Promise<void> => {
    const { config = {}, presets = {}, withToolsets = true, withVault = true } = next;
    const both: (readonly [Plugin, unknown])[] = [
      [metatools, configOf(metatools, config)],
      ...(withVault ? [[vault, configOf(vault, {})] as const] : []),
      ...(withToolsets ? [[toolsets, configOf(toolsets, { toolsetPresets: presets })] as const] : []),
    ];
    await kernel.move(wantedOf(...both, source));
  };
  await reconfigure(options);
  const open = async ({
    headers = {},
    caller,
    sessionId = 'test-session',
  }: Asking = {}): Promise<InboundRequest> => {
    const request = await kernel.gate.open(factsOf(headers));
    if (isReply(request)) throw new Error('the gate answered itself');
    return Object.assign(request, { caller, sessionId });
  };
  const call = async (name: string, args: JsonObject = {}, asking: Asking = {}): Promise<ToolResult> =>
    (await kernel.calls.call(name, args, await open(asking))).value();
  const ask = async (name: string, args: JsonObject = {}, asking: Asking = {}): Promise<Answer> =>
    JSON.parse(firstText(await call(name, args, asking))) as Answer;
  return { kernel, open, call, ask, reconfigure };
}

function sourceOf({ tools = [], source, provides = [] }: BoardOptions): Plugin {
  const apply = (scope: Scope<unknown>): void => {
    for (const tool of tools) scope.addTool(tool);
    source?.(scope);
  };
  return pluginOf('source', apply, { provides });
}

function configOf(plugin: Plugin, config: JsonObject): unknown {
  return validate(plugin.configSchema, config).value;
}

export function firstText({ content }: ToolResult): string {
  return String(content[0]?.['text']);
}

/** A tool of an MCP server as the plugin upstream registers it. */
export function serverTool(server: string, name: string, more: Partial<Tool> = {}): Tool {
  return toolOf(`x_${server}_${name}`, {
    server,
    declared: { name },
    description: `${name} of ${server}`,
    ...more,
  });
}

export function namesIn({ tools }: Answer): readonly string[] {
  return tools.map(({ name }) => name);
}
