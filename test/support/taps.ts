import { sourcesBelow, textOf } from './sources.ts';

/** A call of `scope.tap` in a source. */
export interface TapFacts {
  readonly hook: string;
  readonly stage: string;
  readonly plugin: string;
  /** Whether it is a tap of onCall that wraps. */
  readonly wraps: boolean;
}

/** The taps of all built-in plugins, as their sources write them. */
export function tapsOfPlugins(): readonly TapFacts[] {
  return sourcesBelow('plugins').flatMap((path) =>
    [...textOf(path).matchAll(/\bscope\.tap\(/g)].map(({ index, 0: { length } }) => {
      const [hook = '', handler = '', stage = 'STAGE.normal'] = argumentsFrom(
        textOf(path).slice(index + length),
      );
      return {
        hook: hook.slice(1, -1),
        stage: stage.replace('STAGE.', ''),
        plugin: path.split('/')[1] ?? '',
        wraps: /^(async )?\([^)]*, next\) =>/.test(handler),
      };
    }),
  );
}

/** The arguments of a call. @param text begins behind its opening parenthesis */
function argumentsFrom(text: string): readonly string[] {
  const found = [''];
  let depth = 0;
  for (const char of text) {
    if ('([{'.includes(char)) depth += 1;
    if (')]}'.includes(char)) depth -= 1;
    if (depth < 0) break;
    if (char === ',' && depth === 0) found.push('');
    else found.push((found.pop() ?? '') + char);
  }
  return found.map((one) => one.trim()).filter((one) => one !== '');
}
