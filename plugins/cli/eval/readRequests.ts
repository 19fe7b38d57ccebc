import { didYouMean, isObject, messageOf, placeText, readYaml } from 'pegboard';
import { Failure } from '../failure.ts';

/** A request of the file, and what is right for it. */
export interface Wanted {
  readonly query: string;
  /** A list of tools for each need, of which any is right; empty if no tool fits. */
  readonly want: readonly (readonly string[])[];
  /** `file:line`. */
  readonly place: string;
}

const FORM = 'write {"query": "what to do", "want": ["x_server_tool"]}';
const WANT = 'want must be the name of a tool, a list of names, or a list of lists of names';

interface Entry {
  readonly value: unknown;
  readonly place: (key?: string) => string;
}

/** @param file for messages @throws Failure naming every line that is wrong */
export function readRequests(text: string, file: string): readonly Wanted[] {
  const faults: string[] = [];
  const entries = text.trimStart().startsWith('{') ? linesIn(text, file, faults) : listIn(text, file, faults);
  const wanted = entries.flatMap((entry) => readEntry(entry, faults));
  if (faults.length > 0) throw new Failure(faults.join('\n'));
  if (wanted.length === 0) throw new Failure(`${file} has no request; ${FORM}`);
  return wanted;
}

function linesIn(text: string, file: string, faults: string[]): readonly Entry[] {
  return text.split('\n').flatMap((line, at) => {
    const place = (): string => `${file}:${at + 1}`;
    if (line.trim() === '') return [];
    try {
      return [{ value: JSON.parse(line) as unknown, place }];
    } catch (error) {
      faults.push(`${place()}: it is not JSON (${messageOf(error)}); ${FORM}`);
      return [];
    }
  });
}

function listIn(text: string, file: string, faults: string[]): readonly Entry[] {
  const source = readYaml(text, file);
  const { value, issues } = source;
  faults.push(...issues.map((issue) => `${placeText(issue) ?? file}: ${issue.message}`));
  if (issues.length > 0 || value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    faults.push(`${file}: it is not a list of requests; ${FORM} in each line, or a list in YAML`);
    return [];
  }
  return value.map((item: unknown, at) => ({
    value: item,
    place: (key) => placeText(source.locate([at, ...(key === undefined ? [] : [key])])) ?? file,
  }));
}

function readEntry({ value, place }: Entry, faults: string[]): readonly Wanted[] {
  const fault = (message: string, key?: string): readonly Wanted[] => {
    faults.push(`${place(key)}: ${message}; ${FORM}`);
    return [];
  };
  if (!isObject(value)) return fault('it is not an object');
  const { query, q = query, want, ...others } = value;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    const near = didYouMean(unknown, ['query', 'want'], 'there are query and want');
    return fault(`unknown key ${unknown}; ${near}`, unknown);
  }
  if (typeof q !== 'string' || q.trim() === '') return fault('query is missing');
  const needs = (Array.isArray(want) ? want : [want]).map((need: unknown) => [need].flat());
  const isRight = needs.every((need) => need.length > 0 && need.every((name) => typeof name === 'string'));
  if (!isRight) return fault(WANT);
  return [{ query: q, want: needs as string[][], place: placeOf(place()) }];
}

/** `file:line` of `file:line:column`. */
function placeOf(place: string): string {
  return place.replace(/^(.*:\d+):\d+$/, '$1');
}
