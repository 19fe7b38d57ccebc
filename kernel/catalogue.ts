import type { DecisionLayer, Item, ToolSource, ToolTable, Verdict } from './contracts/decision.ts';
import type { InboundRequest } from './contracts/request.ts';
import type { Tool } from './contracts/call.ts';
import { GatewayError } from './errors.ts';
import { nearSearch } from './lib/nearest.ts';
import type { NearSearch } from './lib/nearest.ts';

export interface OwnedTool {
  readonly owner: string;
  readonly tool: Tool;
  /** The tool that onToolRegister returned; undefined if a tap refused it. */
  readonly registered?: Tool;
}
/** What exists for the requests that the source gives one list. */
interface View {
  readonly sorted: readonly Tool[];
  /** Its own tools by name: of the source, if onToolRegister renamed them, and those whose annotations depend on who asks. */
  readonly own: ReadonlyMap<string, Tool>;
  near?: NearSearch;
  /** How many tools at its front the layers judge alike for one basis: those before the first that is not of kind `tool`. */
  readonly steady: number;
  readonly id: number;
}
/** Tools in all lists that are kept, where a list counts as LIST_WEIGHT more: what is derived from one takes 200 bytes a tool. */
const MAX_KEPT = 1_000_000;
const LIST_WEIGHT = 4_000;
const NO_TOOLS: readonly Tool[] = [];
/** Runs onToolRegister; returns undefined if a tap refused the tool. */
export type Register = (tool: Tool) => Tool | undefined;

/** The tool table and the one function that decides on it (decision D8). */
export class Catalogue implements ToolTable {
  /** Tools by their own name, and by the one that onToolRegister gave them. */
  readonly #holderByName = new Map<string, OwnedTool>();
  #source: ToolSource | undefined;
  #unfollow: (() => void) | undefined;
  /** Views by the list of the source: requests with one list share one. */
  #viewByList = new WeakMap<readonly Tool[], View>();
  /** What requests of one view and basis see: of its steady tools, and of all; the latest is last. */
  readonly #seen = new Map<string, readonly [front: readonly Tool[], all: readonly Tool[]]>();
  #lastId = 0;
  /** The names of visible tools. */
  readonly #namesByList = new WeakMap<readonly Tool[], ReadonlySet<string>>();
  #layers: readonly DecisionLayer[] = [];
  #generation = 0;
  readonly #register: Register;
  readonly #refused: (error: GatewayError) => void;
  readonly #changed: () => void;

  constructor(register: Register, refused: (error: GatewayError) => void, changed: () => void) {
    this.#register = register;
    this.#refused = refused;
    this.#changed = changed;
  }

  get generation(): number {
    return this.#generation;
  }
  /** Those that plugins added. */
  get owned(): readonly OwnedTool[] {
    return [...new Set(this.#holderByName.values())];
  }

  find(name: string, request: InboundRequest): Tool | undefined {
    const tool = this.declared(name, request);
    return tool !== undefined && this.hides(tool, request) ? undefined : tool;
  }

  declared(name: string, request: InboundRequest): Tool | undefined {
    const tool = this.shared(name, request);
    return tool && !tool.annotationsFor ? tool : this.#viewFor(request).own.get(name);
  }

  /** @param request for this class alone: of a request, but without the annotations and names that only it has */
  shared(name: string, request?: InboundRequest): Tool | undefined {
    const holder = this.#holderByName.get(name);
    const offered = holder === undefined ? this.#source?.find(name, request) : undefined;
    const tool = offered === undefined ? holder?.registered : this.#register(offered);
    return tool?.name === name ? tool : undefined;
  }

  metaTools(): readonly Tool[] {
    return this.#registered.filter(({ kind }) => kind === 'meta');
  }

  /** Requests that see the same share one array, so that indexes derived from it can be kept (decision D26). */
  visibleTo(request: InboundRequest): readonly Tool[] {
    const { id, sorted, steady } = this.#viewFor(request);
    const isSeen = (tool: Tool): boolean => this.refusal(tool.name, tool, request) === undefined;
    const basis = this.#layers.map((layer) => layer.basis?.(request));
    const key = JSON.stringify([id, ...basis]);
    const [kept, last] = this.#seen.get(key) ?? [];
    // A layer without a basis decides on each tool for each request.
    const isOpen = basis.some((one) => typeof one !== 'string');
    const front = isOpen || kept === undefined ? sorted.slice(0, steady).filter(isSeen) : kept;
    const rest = sorted.slice(steady).filter(isSeen);
    const isSame = (list: readonly Tool[] | undefined): boolean =>
      list?.length === front.length + rest.length &&
      (front === kept || front.every((tool, at) => tool === list[at])) &&
      rest.every((tool, at) => tool === list[front.length + at]);
    const all = [sorted, last].find(isSame) ?? [...front, ...rest];
    this.#seen.delete(key);
    this.#seen.set(key, [front, all]);
    let left = MAX_KEPT;
    for (const [one, [, { length }]] of last === undefined ? [...this.#seen].reverse() : [])
      if ((left -= length + LIST_WEIGHT) < 0 && one !== key) this.#seen.delete(one);
    return all;
  }

  refusal(name: string, item: Item | undefined, request: InboundRequest): Verdict | undefined {
    if (item?.members !== undefined) {
      const refusals = item.members.map((member) => this.refusal(name, member, request));
      return refusals.includes(undefined) ? undefined : refusals[0];
    }
    for (const layer of this.#layers) {
      const verdict = layer.judge(name, item, request);
      if (verdict?.allow === false) return verdict;
    }
    return undefined;
  }

  hides(item: Item, request: InboundRequest): boolean {
    const isHidden = (one: Item): boolean => this.#layers.some((layer) => layer.hides?.(one, request));
    return item.members?.every(isHidden) ?? isHidden(item);
  }

  admit(name: string, item: Item | undefined, request: InboundRequest): void {
    const refusal = this.refusal(name, item, request);
    if (refusal === undefined) return;
    const { layer, code = 'TOOL_NOT_FOUND', reason, remedy, details } = refusal;
    const text = remedy === undefined ? reason : `${reason}; ${remedy}`;
    const near = item === undefined && code === 'TOOL_NOT_FOUND' ? this.near(name, request) : [];
    throw new GatewayError(code, text, { details: { ...details, layer, ...(near.length > 0 && { near }) } });
  }

  explain(name: string, tool: Tool | undefined, request: InboundRequest): readonly Verdict[] {
    const allowed = tool?.members?.find((one) => this.refusal(name, one, request) === undefined);
    const judged = allowed ?? tool?.members?.[0] ?? tool;
    const verdicts = this.#layers.map((layer) => layer.judge(name, judged, request));
    return [judgeExistence(name, tool), ...verdicts.filter((verdict) => verdict !== undefined)];
  }

  near(name: string, request: InboundRequest, limit = 3): readonly string[] {
    const view = this.#viewFor(request);
    view.near ??= nearSearch(view.sorted.map((tool) => tool.name));
    const visible = this.visibleTo(request);
    const names = this.#namesByList.get(visible) ?? new Set(visible.map((tool) => tool.name));
    this.#namesByList.set(visible, names);
    return view.near(name, limit, (one) => names.has(one) && this.find(one, request) !== undefined);
  }

  /** @throws GatewayError TOOL_DUPLICATE */
  add(owner: string, tool: Tool): () => void {
    this.#enter({ owner, tool });
    this.#touch();
    return () => this.remove(tool);
  }

  remove(tool: Tool): void {
    const held = this.#holderByName.get(tool.name);
    if (held?.tool !== tool) return;
    for (const name of namesOf(held)) this.#holderByName.delete(name);
    this.#touch();
  }

  /** The swap: replaces all tools, their source and decision layers at once, using the new hooks. */
  replace(owned: readonly OwnedTool[], layers: readonly DecisionLayer[], source?: ToolSource): void {
    this.#layers = [...layers].sort((a, b) => a.order - b.order);
    this.#unfollow?.();
    this.#source = source;
    this.#unfollow = source?.follow(() => this.#touch());
    this.#holderByName.clear();
    for (const one of owned) {
      try {
        this.#enter(one);
      } catch (error) {
        this.#refused(error as GatewayError);
      }
    }
    this.#touch();
  }

  /** @throws GatewayError TOOL_DUPLICATE, also if onToolRegister gave the tool a name that is taken */
  #enter({ owner, tool }: OwnedTool): void {
    const registered = this.#register(tool);
    const entered: OwnedTool = { owner, tool, ...(registered && { registered }) };
    for (const name of namesOf(entered)) {
      const holder = this.#holderByName.get(name);
      if (holder === undefined) continue;
      const text = `tool ${name} of plugin ${owner} exists already (plugin ${holder.owner}); rename one of them`;
      throw new GatewayError('TOOL_DUPLICATE', text, { details: { tool: name } });
    }
    for (const name of namesOf(entered)) this.#holderByName.set(name, entered);
  }

  #viewFor(request: InboundRequest): View {
    const list = this.#source?.all(request) ?? NO_TOOLS;
    const known = this.#viewByList.get(list);
    if (known !== undefined) return known;
    const tools = this.#registered.filter(({ kind, annotationsFor }) => kind !== 'meta' && !annotationsFor);
    const own = new Map<string, Tool>();
    for (const tool of this.#registered) if (tool.annotationsFor) own.set(tool.name, seenBy(request, tool));
    const isTaken = (name: string): boolean =>
      this.#holderByName.has(name) || this.#source?.find(name, request) !== undefined;
    for (const tool of list) {
      const made = this.#holderByName.has(tool.name) ? undefined : this.#register(tool);
      if (made?.name === tool.name) tools.push(made);
      else if (made !== undefined && !isTaken(made.name)) own.set(made.name, made);
    }
    const sorted = [...tools, ...own.values()].sort(byKindAndName);
    const live = sorted.findIndex(({ kind, annotationsFor }) => kind !== 'tool' || annotationsFor);
    const view: View = { sorted, own, steady: live < 0 ? sorted.length : live, id: ++this.#lastId };
    this.#viewByList.set(list, view);
    return view;
  }

  get #registered(): readonly Tool[] {
    return this.owned.flatMap(({ registered }) => registered ?? []);
  }

  #touch(): void {
    this.#generation += 1;
    this.#viewByList = new WeakMap();
    this.#seen.clear();
    this.#changed();
  }
}

function namesOf({ tool, registered }: OwnedTool): ReadonlySet<string> {
  return new Set([tool.name, registered?.name ?? tool.name]);
}

/** Computed on each read: annotations of other tools are known only once their servers have answered. */
function seenBy(request: InboundRequest, tool: Tool): Tool {
  const get = (): Tool['annotations'] => tool.annotationsFor?.(request);
  return Object.defineProperty({ ...tool }, 'annotations', { enumerable: true, get });
}

function judgeExistence(name: string, tool: Tool | undefined): Verdict {
  if (tool === undefined) {
    const reason = `no tool is named ${name}`;
    const remedy = 'find the exact name with filter_tools';
    return { layer: 'catalogue', allow: false, code: 'TOOL_NOT_FOUND', reason, remedy };
  }
  return { layer: 'catalogue', allow: true, reason: `${name} is a tool of kind ${tool.kind}` };
}

const KIND_ORDER = { tool: 0, workflow: 1, core: 2, meta: 3 } as const;
function byKindAndName(a: Tool, b: Tool): number {
  return KIND_ORDER[a.kind] - KIND_ORDER[b.kind] || (a.name < b.name ? -1 : 1);
}
