/** Programs that install another one at its first start, with the first argument that makes them do it; undefined: any. */
const RUNNERS: Readonly<Record<string, RegExp | undefined>> = {
  npx: undefined,
  pnpx: undefined,
  bunx: undefined,
  uvx: undefined,
  npm: /^(exec|x)$/,
  pnpm: /^dlx$/,
  yarn: /^dlx$/,
  bun: /^x$/,
  uv: /^(run|tool)$/,
  pipx: /^run$/,
  docker: /^(run|container)$/,
  podman: /^(run|container)$/,
};

/** The program that installs the server at its first start: `npx`, `docker run`; undefined if there is none. */
export function runnerOf(command: readonly string[]): string | undefined {
  const [program = '', first = ''] = withoutShell(command);
  const file = program.toLowerCase().split(/[\\/]/).at(-1) ?? '';
  const name = file.replace(/\.(?:cmd|exe|bat|ps1)$/, '');
  if (!Object.hasOwn(RUNNERS, name)) return undefined;
  const wanted = RUNNERS[name];
  if (wanted === undefined) return name;
  return wanted.test(first) ? `${name} ${first}` : undefined;
}

/** On Windows, npx is run by `cmd /c`. */
function withoutShell(command: readonly string[]): readonly string[] {
  const [shell = '', ...words] = command;
  if (!/(?:^|[\\/])cmd(?:\.exe)?$/i.test(shell)) return command;
  return words.slice(words.findIndex((word) => !/^\/[a-z]$/i.test(word)));
}
