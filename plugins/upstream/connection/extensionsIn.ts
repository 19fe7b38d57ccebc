import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';

const MAX_SHOWN = 20;
const MAX_NAME_CHARS = 100;
const TASKS =
  'this gateway offers no tasks; a tool that only runs as a task is refused, others run without one';
/** Source: MCP 2025-11-25, Tasks; SEP-2663; SEP-1865; SEP-2640; D105. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['tasks', TASKS],
  ['io.modelcontextprotocol/tasks', TASKS],
  [
    'io.modelcontextprotocol/ui',
    'clients show the apps of tools in tools/list, where only meta-tools are; the tools can be called, the pages are resources',
  ],
  [
    'io.modelcontextprotocol/skills',
    'skills/list, skills/get and resources/directory/read are refused; the files of skills are resources',
  ],
]);
const OTHER = 'what it adds to _meta passes; its methods and notifications do not';

/** The extensions that a server declares, for its status: none of them is declared to clients. Tasks of 2025-11-25, a
 *  capability of their own, count as one. @param ownWords redacts a text of the server */
export function extensionsIn(
  { tasks, extensions }: JsonObject,
  ownWords: (text: string) => string,
): readonly JsonObject[] {
  const declared = isObject(extensions) ? Object.keys(extensions) : [];
  const names = isObject(tasks) ? ['tasks', ...declared] : declared;
  return names.slice(0, MAX_SHOWN).map((name) => ({
    name: ownWords(name).slice(0, MAX_NAME_CHARS),
    relayed: false,
    reason: REASONS.get(name) ?? OTHER,
  }));
}
