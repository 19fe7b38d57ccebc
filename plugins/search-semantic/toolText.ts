import type { Tool } from 'pegboard';

/** What a model reads of a tool: server, name, title and description. Parameters would dilute it: measured, README. */
export function toolText({ name, server = '', description, declared = {} }: Tool, maxChars: number): string {
  const { name: own = name, title } = declared;
  const head = [server, String(own)].map(wordsIn).join(' ').trim();
  const text = `${head}${typeof title === 'string' ? ` (${title})` : ''}: ${description}`;
  return text.slice(0, maxChars).trim();
}

/** `listOpen_issues` is `list Open issues`. */
function wordsIn(name: string): string {
  return name.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').replace(/[_\-./]+/g, ' ');
}
