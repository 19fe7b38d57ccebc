import { textOf } from './sources.ts';

/** Members that a file's text adds to a merged interface: name → the comment above, empty without one. */
export function declaredIn(path: string, name: 'ErrorCodes' | 'EventMap'): ReadonlyMap<string, string> {
  const text = textOf(path);
  const opening = new RegExp(`^( *)(?:export )?interface ${name} \\{$`, 'm').exec(text);
  if (opening === null) return new Map();
  const [, indent = ''] = opening;
  const rest = text.slice(opening.index + opening[0].length);
  const body = rest.slice(0, rest.search(new RegExp(`^${indent}\\}$`, 'm')));
  const member = new RegExp(`(?:^${indent} {2}/\\*\\* (.*) \\*/\\n)?^${indent} {2}'?([\\w.]+)'?: `, 'gm');
  return new Map([...body.matchAll(member)].map(([, comment = '', key = '']) => [key, comment]));
}
