import { shellWord } from '../faults/action.ts';
import { FORMATS } from './formats.ts';
import { CLIENTS } from './known/clients.ts';
import { CLIENT_NAMES, placesOf } from './places.ts';
import type { ClientPlace } from './places.ts';

/** What connects one client to a gateway. */
export interface Connection {
  readonly name: string;
  /** The client's name for people. */
  readonly label: string;
  /** What is typed at a shell. */
  readonly line?: string;
  /** What its file says then, if nothing is typed. */
  readonly entry?: string;
  /** That file; with the systems on which it is, unless it is on all. */
  readonly files?: readonly string[];
  readonly note?: string;
}

const SYSTEMS = [
  ['linux', 'Linux'],
  ['darwin', 'macOS'],
  ['win32', 'Windows'],
] as const;
/** Folders in the words of a person, as if they were at the root. */
const PERSON = { HOME: '/~', APPDATA: '/%APPDATA%' };
const PROJECT = '/<project>';

/** What each known client needs to use a gateway at this URL: those with a line first. It takes 20 ms. */
export function connectionsTo(url: string): readonly Connection[] {
  const known = CLIENT_NAMES.map((name) => connectionOf(name, url));
  const withLine = known.filter(({ line }) => line !== undefined);
  return [...withLine, inspectorTo(url), ...known.filter((one) => !withLine.includes(one))];
}

function connectionOf(name: string, url: string): Connection {
  const kind = CLIENTS.find((one) => one.name === name);
  const label = kind?.label ?? name;
  const note = kind?.note === undefined ? {} : { note: kind.note };
  const line = kind?.line?.(url).map(shellWord).join(' ');
  if (line !== undefined) return { name, label, line, ...note };
  const systems = new Map<string, string[]>();
  let first: ClientPlace | undefined;
  for (const [platform, system] of SYSTEMS) {
    const home = homeOn(name, platform);
    if (home === undefined) continue;
    first ??= home;
    const path = home.path.slice(1);
    systems.set(path, [...(systems.get(path) ?? []), system]);
  }
  const { format = 'json', at = [], spell = () => ({}) } = first ?? {};
  return {
    name,
    label,
    entry: FORMATS[format].set('', [...at, 'pegboard'], spell(url)).trim(),
    files: [...systems].map(([path, on]) =>
      on.length === SYSTEMS.length ? path : `${path} (${on.join(', ')})`,
    ),
    ...note,
  };
}

/** The file into which `pegboard link` would write first on a machine without any. */
function homeOn(name: string, platform: NodeJS.Platform): ClientPlace | undefined {
  const places = placesOf([name], { env: PERSON, platform, cwd: PROJECT });
  return places.find(({ client, isReadOnly }) => client === name && !isReadOnly);
}

/** The one client that keeps no servers. */
function inspectorTo(url: string): Connection {
  const words = ['npx', '-y', '@modelcontextprotocol/inspector', '--cli', url, '--transport', 'http'];
  return {
    name: 'inspector',
    label: 'Inspector',
    line: [...words, '--method', 'tools/list'].map(shellWord).join(' '),
  };
}
