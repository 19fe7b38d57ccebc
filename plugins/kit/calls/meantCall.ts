import { isObject } from 'pegboard';
import type { InboundRequest, JsonObject, Tool, ToolTable } from 'pegboard';
import { meantArgument } from './meantArgument.ts';
import { perList } from './perList.ts';

/** A call that a client can make. */
export interface RightCall {
  /** A meta-tool. */
  readonly name: string;
  readonly arguments: JsonObject;
}
export interface Meant {
  /** The one call that a wrong one can mean. */
  readonly call?: RightCall;
  /** The tool of that call, unless it is call_tool for another one. */
  readonly meta?: Tool;
  /** Names of tools that are meant equally well. */
  readonly names: readonly string[];
}
/** A call of a name that cannot be called. */
export interface WrongCall {
  readonly name: string;
  readonly args: JsonObject;
}

/** What models call meta-tools otherwise, each in lower case without separators. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  filter_tools:
    'searchtools searchtool toolsearch findtools findtool toolfinder filtertool discovertools querytools lookuptools',
  list_tools: 'toolslist listtool listalltools gettools showtools',
  describe_tool:
    'describetools gettool gettoolschema toolschema toolinfo gettoolinfo tooldetails gettooldetails inspecttool',
  call_tool: 'runtool executetool exectool invoketool usetool toolcall toolscall tooluse calltools',
  list_core_tools: 'coretools listcore',
  get_resource: 'readresource fetchresource resourceread resourcesread readmcpresource',
  list_resources: 'resourceslist listresource listmcpresources',
  get_prompt: 'promptget promptsget useprompt runprompt',
  list_prompts: 'promptslist listprompt',
  get_result: 'readresult fetchresult getresults',
};
const META_BY_OTHER = new Map(
  Object.entries(OTHER_NAMES).flatMap(([name, others]) => others.split(' ').map((other) => [other, name])),
);
/** What clients put before the names of a server's tools. */
const CLIENT_PREFIX = /^(?:functions[.:])?(?:mcp_{1,2}[a-z\d-]+_{1,2}|(?:mcp[_.:/-])?pegboard[_.:/-]+)/i;
/** Shorter words mean nothing. */
const MIN_CHARS = 2;
const MAX_NAMES = 5;

/** What a call of a name that no tool has can mean: the same name in another spelling, without its prefix, or as other programs call
 *  such a tool. Tools that the request may not see are not considered. */
export function meantCall({ name, args }: WrongCall, table: ToolTable, request: InboundRequest): Meant {
  const bare = name.replace(CLIENT_PREFIX, '');
  const words = [...new Set([spelled(name), spelled(bare)])].filter(({ length }) => length >= MIN_CHARS);
  const metaTools = table.metaTools();
  const meta = metaTools.find((tool) => words.includes(spelled(tool.name)));
  if (meta !== undefined) return { call: callOf(meta, args), meta, names: [] };
  const named = table.find(bare, request);
  const exact = named !== undefined && table.refusal(bare, named, request) === undefined ? named : undefined;
  const { tools, isWhole } = toolsMeant(words, exact, table.visibleTo(request));
  const other = words.map((word) => META_BY_OTHER.get(word)).find((one) => one !== undefined);
  const alias = isWhole ? undefined : metaTools.find((tool) => tool.name === other);
  const [only] = tools;
  if (alias !== undefined && only === undefined) return { call: callOf(alias, args), meta: alias, names: [] };
  if (alias !== undefined) return { names: [alias.name, ...namesOf(tools)] };
  if (only === undefined || tools.length > 1) return { names: namesOf(tools) };
  return { call: { name: 'call_tool', arguments: { name: only.name, arguments: args } }, names: [] };
}

/** The call as text, with arguments that are not longer than an error may be. */
export function callText({ name, arguments: args }: RightCall): string {
  const text = JSON.stringify(args);
  if (text.length <= MAX_CALL_CHARS) return `${name} with ${text}`;
  const short = typeof args['name'] === 'string' ? { name: args['name'], arguments: '…' } : '…';
  return `${name} with ${JSON.stringify(short)}`;
}
const MAX_CALL_CHARS = 300;

function namesOf(tools: readonly Tool[]): readonly string[] {
  return tools.slice(0, MAX_NAMES).map((tool) => tool.name);
}

/** The tools that have one of these words as their name: the whole one, else that with their server, else the server's own. */
function toolsMeant(
  words: readonly string[],
  exact: Tool | undefined,
  tools: readonly Tool[],
): { readonly tools: readonly Tool[]; readonly isWhole: boolean } {
  if (exact !== undefined) return { tools: [exact], isWhole: true };
  const found: Set<Tool>[] = [new Set(), new Set(), new Set()];
  for (const word of words)
    // Almost all of ten thousand tools are left out by the end of their name, before it is read as a whole.
    for (const tool of endingAlike(tools, word))
      found[formsOf(tool).findIndex((forms) => forms.includes(word))]?.add(tool);
  const [whole = [], withServer = [], own = []] = found.map((level) => [...level]);
  if (whole.length > 0) return { tools: whole, isWhole: true };
  return { tools: withServer.length > 0 ? withServer : own, isWhole: false };
}

/** The tools whose name can be spelled as a word, by their last letters. */
function endingAlike(tools: readonly Tool[], word: string): readonly Tool[] {
  const { byEnd, others } = byEnds(tools);
  return [...(byEnd.get(word.slice(-TAIL_CHARS)) ?? []), ...others];
}
const TAIL_CHARS = 4;

/** Tools by the last two, three and four letters of their name. Looks at single characters, because each tool is asked. */
const byEnds = perList((tools) => {
  const byEnd = new Map<string, Tool[]>();
  /** Those whose name has fewer letters, or may be spelled in another way than its letters. */
  const others: Tool[] = [];
  for (const tool of tools) {
    const end = endOf(tool.name);
    if (end === undefined) others.push(tool);
    else
      for (let chars = MIN_CHARS; chars <= TAIL_CHARS; chars += 1) {
        const part = end.slice(-chars);
        const known = byEnd.get(part);
        if (known === undefined) byEnd.set(part, [tool]);
        else known.push(tool);
      }
  }
  return { byEnd, others };
});

/** The last letters of a name in lower case, without separators; undefined if it has too few, or others than those of English. */
function endOf(name: string): string | undefined {
  let end = '';
  for (let at = name.length - 1; end.length < TAIL_CHARS; at -= 1) {
    if (at < 0) return undefined;
    const code = name.charCodeAt(at);
    if (isSeparator(code)) continue;
    const lower = code >= UPPER_A && code <= UPPER_Z ? code + CASE : code;
    if (lower > ASCII) return undefined;
    end = String.fromCharCode(lower) + end;
  }
  return end;
}
const [UPPER_A, UPPER_Z, CASE, ASCII] = [65, 90, 32, 127];

function isSeparator(code: number): boolean {
  return (
    code <= ASCII &&
    !(code >= 48 && code <= 57) &&
    !(code >= UPPER_A && code <= UPPER_Z) &&
    !(code >= 97 && code <= 122)
  );
}

/** The spellings of a tool's whole name, of that with its server, and of its own. */
function formsOf(tool: Tool): readonly (readonly string[])[] {
  const { name, server = '' } = tool;
  const [prefix = ''] = name.split('_', 1);
  const own = spelled(ownName(tool));
  const withServer = spelled(server) + own;
  return [[spelled(name), spelled(prefix) + withServer], [withServer], [own]];
}

/** The name of a tool on its server; of others, the name without the word for their kind. */
export function ownName({ name, declared }: Tool): string {
  const own = declared?.['name'];
  return typeof own === 'string' ? own : name.slice(name.indexOf('_') + 1);
}

/** A name by its letters and digits alone, in lower case. */
function spelled(name: string): string {
  return name
    .slice(0, MAX_NAME_CHARS)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
const MAX_NAME_CHARS = 256;

/** The call of a meta-tool with the arguments that it takes; those by another name under theirs. */
function callOf({ name, inputSchema }: Tool, args: JsonObject): RightCall {
  const properties = isObject(inputSchema['properties']) ? Object.keys(inputSchema['properties']) : [];
  const taken = Object.entries(args).flatMap(([key, value]) => {
    const free = properties.filter((one) => !Object.hasOwn(args, one));
    const meant = properties.includes(key) ? key : meantArgument(key, free);
    return meant === undefined ? [] : [[meant, value] as const];
  });
  return { name, arguments: Object.fromEntries(taken) };
}
