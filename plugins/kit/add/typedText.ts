import { parseArgs } from 'node:util';
import { messageOf } from 'pegboard';
import { Failure } from '../text/failure.ts';
import { ADD_OPTIONS } from './addOptions.ts';
import { addWords } from './addWords.ts';
import type { AddOptions } from './readOptions.ts';
import { targetKind } from './targetKind.ts';
import type { Typed } from './wantedServer.ts';

/** What a single text says that would stand behind `pegboard add`: a line of a README, JSON, a link, a URL, a package. @throws Failure */
export function typedText(text: string): Pick<Typed, 'words' | 'options'> {
  const trimmed = text.trim();
  const line = trimmed.replace(/^[$>%] /, '').replaceAll(/\\\r?\n\s*/g, ' ');
  const args = addWords([targetKind(trimmed) === 'json' ? trimmed : line], ADD_OPTIONS);
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: Object.fromEntries(ADD_OPTIONS.map(parsedOption)),
      allowPositionals: true,
    });
    // The name is not in the text of a form.
    const words = positionals.length === 1 ? ['', ...positionals] : positionals;
    const named = Object.entries(values).map(([name, value]) => [camelCase(name), value]);
    return { words, options: Object.fromEntries(named) as AddOptions };
  } catch (error) {
    throw new Failure(`the line cannot be read: ${messageOf(error)}`);
  }
}

function parsedOption({ flags, isList = false }: (typeof ADD_OPTIONS)[number]): readonly [string, Option] {
  const [, short, name = ''] = /^(?:-(\w), )?--([\w-]+)/.exec(flags) ?? [];
  const type = flags.includes('<') ? 'string' : 'boolean';
  return [name, { type, multiple: isList, ...(short !== undefined && { short }) }];
}

interface Option {
  readonly type: 'string' | 'boolean';
  readonly multiple: boolean;
  readonly short?: string;
}

function camelCase(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
