import { hideInWords, isSecret } from 'pegboard/kit';

interface ShellCommand {
  readonly command: readonly string[];
  /** Variables that the command needs. */
  readonly env: Readonly<Record<string, string>>;
}

/** A definition's command cannot hold references and has no working directory: a shell changes to `folder` and takes secrets and
 *  variables from the environment. Commands that need neither are kept. */
export function shellCommand(words: readonly string[], folder: string | undefined): ShellCommand {
  const env: Record<string, string> = {};
  const take = (text: string, name: string): string => {
    if (!isSecret(name, text)) return text;
    const variable = `PEGBOARD_SECRET_${Object.keys(env).length + 1}`;
    env[variable] = text;
    return `\${${variable}}`;
  };
  const shown = hideInWords(
    words.map((word) => (isSecret('', word) && !word.includes('://') ? take(word, '') : word)),
    take,
  );
  const referred = [...shown.join('\n').matchAll(REFERENCE)].map(([, name = '']) => name);
  for (const name of referred) env[name] ??= `\${env:${name}}`;
  if (folder === undefined && referred.length === 0) return { command: words, env: {} };
  const change = folder === undefined ? '' : `cd ${quoted(folder)} && `;
  return { command: ['sh', '-c', `${change}exec ${shown.map(quoted).join(' ')}`], env };
}

const REFERENCE = /\$\{(?:env:)?([A-Za-z_]\w*)\}/g;

/** The word in quotes for sh, with `${NAME}` left to be filled in. */
function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  const parts = word.split(/(\$\{(?:env:)?[A-Za-z_]\w*\})/).filter((part) => part !== '');
  return parts.length === 0
    ? "''"
    : parts
        .map((part) => part.replace(/^\$\{(?:env:)?(\w+)\}$/, '"$${$1}"'))
        .map((part) => (/^"\$\{\w+\}"$/.test(part) ? part : `'${part.replaceAll("'", `'\\''`)}'`))
        .join('');
}
