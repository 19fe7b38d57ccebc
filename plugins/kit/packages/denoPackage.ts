import { afterFlags } from '../definitions/unwrapped.ts';
import { EXACT_NPM, otherRunner } from './placesIn.ts';

const DENO = /^(npm:|jsr:)\/?((?:@[\w.~-]+\/)?[\w~-][\w.~-]*)(?:@([^/]+))?(?:\/.*)?$/;
/** Flags of `deno run` without a value. */
const DENO_SWITCHES =
  /^(?:-[AqPR]|--(?:allow|deny|no|unstable)-?[a-z-]*|--(?:quiet|check|cached-only|frozen|watch))$/;
const DENO_RUN = /^(?:run|x)$/;

interface DenoPackage {
  readonly registry: 'npm';
  readonly name: string;
  readonly version: string | undefined;
  readonly isExact: boolean;
  readonly obstacle: string;
}

/** `deno run -A npm:notes@1.0.0`: the first word that names a package, where no script is before it. */
export function denoPackage(words: readonly string[]): DenoPackage | undefined {
  const named = afterFlags(words.slice(1));
  const rest = DENO.test(named[0] ?? '') ? ['run', ...named] : named;
  if (!DENO_RUN.test(rest[0] ?? '')) return undefined;
  const found = rest.findIndex((word, at) => at > 0 && DENO.test(word));
  // The word behind another flag may be its value.
  const isBehindFlag = (at: number): boolean => {
    const before = rest[at - 1] ?? '';
    return before.startsWith('-') && !before.includes('=') && !DENO_SWITCHES.test(before);
  };
  const isOther = rest
    .slice(0, Math.max(found, 0))
    .some(
      (word, at) => at > 0 && !word.startsWith('-') && (!isBehindFlag(at) || /\.[cm]?[jt]sx?$/.test(word)),
    );
  const [, kind = '', plain = '', version] = DENO.exec(rest[found] ?? '') ?? [];
  if (found < 0 || isOther) return undefined;
  return {
    registry: 'npm',
    name: kind === 'npm:' ? plain : `${kind}${plain}`,
    version,
    isExact: EXACT_NPM.test(version ?? ''),
    obstacle: kind === 'npm:' ? otherRunner('deno') : 'deno cannot be given an archive that was checked',
  };
}
