import { afterFlags, programOf, unwrapped } from './unwrapped.ts';

/** Programs that install another one at its first start, with the subcommands that make them do it; undefined: any word. */
const RUNNERS: Readonly<Record<string, RegExp | undefined>> = {
  npx: undefined,
  pnpx: undefined,
  bunx: undefined,
  uvx: undefined,
  dnx: undefined,
  npm: /^(?:exec|x)$/,
  pnpm: /^dlx$/,
  yarn: /^dlx$/,
  bun: /^x$/,
  deno: /^run$/,
  uv: /^(?:run|tool run)$/,
  pipx: /^run$/,
  docker: /^(?:run|container run|compose run)$/,
  podman: /^(?:run|container run|compose run)$/,
};
/** Subcommands that have subcommands. */
const GROUPS = /^(?:tool|container|compose)$/;

/** The program that installs the server at its first start: `npx`, `docker run`; undefined if there is none. */
export function runnerOf(command: readonly string[]): string | undefined {
  const { name, words } = programOf(unwrapped(command));
  if (!Object.hasOwn(RUNNERS, name)) return undefined;
  const wanted = RUNNERS[name];
  if (wanted === undefined) return name;
  const [first = '', ...after] = afterFlags(words);
  const subcommand = GROUPS.test(first) ? `${first} ${afterFlags(after)[0] ?? ''}` : first;
  if (!wanted.test(subcommand)) return undefined;
  // Deno runs a file in the same way.
  if (name === 'deno' && !/^(?:npm|jsr):/.test(afterFlags(after)[0] ?? '')) return undefined;
  return `${name} ${first === 'tool' ? first : subcommand}`;
}

/** Flags whose value is the package. */
const PACKAGE = /^(?:-p|--package|--from|--spec)(?:=(.+))?$/;
/** They may be given the package in any word. */
const BY_WORD = /^(?:docker|podman|deno|uv run)\b/;

/** What a command with a runner installs: equal for commands that install the same packages into the same place. */
export function installationOf(command: readonly string[]): string {
  const runner = runnerOf(command);
  if (runner === undefined || BY_WORD.test(runner)) return JSON.stringify(command);
  const { words } = programOf(unwrapped(command));
  const isSubcommand = runner.includes(' ');
  const rest = isSubcommand ? afterFlags(words).slice(1) : words;
  const own = runner === 'uv tool' ? afterFlags(rest).slice(1) : rest;
  const [subject = ''] = afterFlags(own);
  const flags = own.slice(0, own.length - afterFlags(own).length);
  const named = flags.flatMap((word, at) => {
    const found = PACKAGE.exec(word);
    return found === null ? [] : [found[1] ?? flags[at + 1] ?? ''];
  });
  const place = /^npm (?:exec|x)$/.test(runner) ? 'npx' : runner;
  return JSON.stringify([place, ...(named.length > 0 ? named.sort() : [subject])]);
}
