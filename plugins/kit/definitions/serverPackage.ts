import type { JsonObject } from 'pegboard';
import { fillInput, objects, ownAt, refuseMissing } from './serverInputs.ts';
import type { Missing, Values } from './serverInputs.ts';

/** What came of a package of a server.json. */
export interface PackageSpec {
  readonly spec: JsonObject;
  /** Optional values that have none, by the flag to type them with. */
  readonly open: readonly string[];
}

interface Runner {
  /** Programs that run it, the usual one first. */
  readonly programs: readonly string[];
  /** @param words those of runtimeArguments @param env names of variables */
  readonly line: (given: {
    readonly program: string;
    readonly one: JsonObject;
    readonly words: readonly string[];
    readonly env: readonly string[];
  }) => readonly string[];
}

/** Words that start a package, by registryType. */
const RUNNERS: Readonly<Record<string, Runner>> = {
  npm: {
    programs: ['npx', 'bunx'],
    line: ({ program, one, words }) => [
      program,
      ...without(words, ['-y', '--yes']),
      ...(program === 'npx' ? ['-y'] : []),
      versioned(one, '@'),
    ],
  },
  pypi: {
    programs: ['uvx', 'pipx'],
    line: ({ program, one, words }) => [
      program,
      ...(program === 'pipx' ? ['run'] : []),
      ...without(words, ['run']),
      versioned(one, '=='),
    ],
  },
  oci: {
    programs: ['docker', 'podman'],
    line: ({ program, one, words, env }) => [
      ...[program, 'run', '-i', '--rm'],
      ...env.flatMap((name) => ['-e', name]),
      ...without(words, ['run', '-i', '--rm', '-it', '--interactive']),
      versioned(one, ':'),
    ],
  },
  nuget: {
    programs: ['dnx'],
    line: ({ program, one, words }) => [
      program,
      ...without(words, ['--yes', '-y']),
      versioned(one, '@'),
      '--yes',
    ],
  },
};

/** The program that runs a package, or undefined if none does. */
export function runnerOf({ registryType, runtimeHint }: JsonObject): string | undefined {
  const type = String(registryType);
  const programs = Object.hasOwn(RUNNERS, type) ? (RUNNERS[type]?.programs ?? []) : [];
  return programs.find((one) => one === runtimeHint) ?? programs[0];
}

/** The definition that runs a package. @throws Failure naming all values that are missing */
export function packageSpec(
  one: JsonObject,
  { env: typedEnv, values }: { readonly env: Readonly<Record<string, string>>; readonly values: Values },
): PackageSpec {
  const missing: Missing[] = [];
  const open: string[] = [];
  const env: Record<string, string> = { ...typedEnv };
  for (const input of objects(one['environmentVariables'])) {
    const key = String(input['name']);
    const flag = `--env ${key}=…`;
    const typed = Object.hasOwn(env, key) ? { ...values, [key]: [env[key] ?? ''] } : values;
    const filled = fillInput(input, { typed, names: [key], flag });
    if (filled === undefined) open.push(flag);
    else if ('missing' in filled) missing.push(...filled.missing);
    else env[key] = filled.texts[0] ?? '';
  }
  const runtime = words(objects(one['runtimeArguments']), { values, missing, open, env });
  const program = runnerOf(one) ?? '';
  const line =
    RUNNERS[String(one['registryType'])]?.line({ program, one, words: runtime, env: Object.keys(env) }) ?? [];
  const before = missing.length;
  const command = [...line, ...words(objects(one['packageArguments']), { values, missing, open })];
  const isArgument = missing.length > before;
  const typing = `\nor type its command: pegboard add <name> -- ${line.join(' ')} <value>`;
  refuseMissing(missing, isArgument ? typing : '');
  return { spec: { type: 'stdio', command, ...(Object.keys(env).length > 0 && { env }) }, open };
}

interface Wanted {
  readonly values: Values;
  readonly missing: Missing[];
  readonly open: string[];
  /** Those of the container, which has a place for its variables. */
  readonly env?: Record<string, string>;
}

function words(args: readonly JsonObject[], { values, missing, open, env }: Wanted): readonly string[] {
  return args.flatMap((argument) => {
    const { type, name, value, valueHint } = argument;
    const flag = type === 'named' && typeof name === 'string' ? [name] : [];
    const variable =
      env !== undefined && /^(?:-e|--env)$/.test(flag[0] ?? '') ? variableIn(value) : undefined;
    const label = [valueHint, flag[0]?.replace(/^-+/, '')].find((one) => typeof one === 'string') ?? 'value';
    const typed = variable === undefined ? values : { ...values, ...given(env, variable) };
    const switched = ownAt(values, label)?.at(-1);
    if (flag.length > 0 && !takesValue(argument) && /^(?:true|false)?$/.test(switched ?? '')) {
      const isOn = switched === undefined ? argument['isRequired'] === true : switched !== 'false';
      return isOn ? flag : [];
    }
    const names = [...(variable === undefined ? [] : [variable]), label, ...flag];
    const typing = variable === undefined ? `--set ${label}=…` : `--env ${variable}=…`;
    const filled = fillInput(argument, { typed, names, flag: typing });
    if (filled === undefined) open.push(typing);
    else if ('missing' in filled) missing.push(...filled.missing);
    if (filled === undefined || 'missing' in filled) return [];
    if (variable === undefined || env === undefined) return filled.texts.flatMap((text) => [...flag, text]);
    // A value of `-e NAME=VALUE` could be read by anyone who lists the processes.
    const [text = ''] = filled.texts;
    env[variable] = text.startsWith(`${variable}=`) ? text.slice(variable.length + 1) : text;
    return [];
  });
}

function takesValue({
  value,
  default: preset,
  valueHint,
  choices,
  placeholder,
  format,
}: JsonObject): boolean {
  const isSaid = [value, preset, valueHint, choices, placeholder].some((one) => one !== undefined);
  return isSaid || (format !== undefined && format !== 'boolean');
}

function given(env: Record<string, string> | undefined, name: string): Values {
  const text = env?.[name];
  return text === undefined ? {} : { [name]: [text] };
}

/** `GITHUB_TOKEN={token}` → `GITHUB_TOKEN` */
function variableIn(value: unknown): string | undefined {
  return typeof value === 'string' ? /^([A-Za-z_]\w*)=/.exec(value)?.[1] : undefined;
}

function without(words: readonly string[], known: readonly string[]): readonly string[] {
  return words.filter((word) => !known.includes(word));
}

function versioned({ identifier, version }: JsonObject, sign: string): string {
  const name = String(identifier);
  const isPinned = sign === ':' ? /[:@]./.test(name.slice(name.lastIndexOf('/') + 1)) : false;
  return typeof version !== 'string' || version === '' || isPinned ? name : `${name}${sign}${version}`;
}
