import { GatewayError, didYouMean } from 'pegboard';

const SELECTOR_KINDS: ReadonlySet<string> = new Set([
  ...['preset', 'server', 'workflow', 'tool', 'label', 'toolset'],
]);

/** Bound on selectors in the header and in the argument `toolset`. Source: requirement toolset.invalid. */
const MAX_SELECTORS = 32;

/** Refuses a number of selectors that a client may not send; plugins may set more. @throws GatewayError TOOL_TOOLSET_INVALID */
export function refuseCount({ length }: readonly string[]): void {
  if (length === 0)
    throw invalidToolset('it is empty; leave it out, or name a selector, for example server:github');
  if (length > MAX_SELECTORS)
    throw invalidToolset(`it has ${length} selectors; at most ${MAX_SELECTORS} are allowed`);
}

export function invalidToolset(why: string): GatewayError {
  return new GatewayError('TOOL_TOOLSET_INVALID', `invalid toolset: ${why}`);
}

/** Far longer than any name in the catalogue. */
const MAX_SELECTOR_CHARS = 500;

/** Why a selector cannot be used; undefined if it can. @param presets names of all presets, with those that are built in */
export function selectorFault(selector: string, presets: readonly string[]): string | undefined {
  if (selector.length > MAX_SELECTOR_CHARS)
    return `a selector has ${selector.length} characters; at most ${MAX_SELECTOR_CHARS} are allowed`;
  const [kind, name] = selectorParts(selector);
  const quoted = JSON.stringify(selector.length > 80 ? `${selector.slice(0, 80)}…` : selector);
  if (name === '' || !SELECTOR_KINDS.has(kind))
    return `${quoted} is malformed; a selector is preset:<name>, server:<name>, workflow:<name> or tool:<name>`;
  if (kind === 'label')
    return `${quoted}: label is for presets only; put it into a preset and use preset:<name>`;
  if (kind === 'toolset') return `${quoted}: toolset: is reserved; use preset:<name>`;
  return kind === 'preset' && !presets.includes(name) ? unknownPreset(name, presets) : undefined;
}

/** `server: github` → `['server', 'github']`; without a colon both are empty. */
export function selectorParts(selector: string): readonly [kind: string, name: string] {
  const at = selector.indexOf(':');
  return at < 0 ? ['', ''] : [selector.slice(0, at), selector.slice(at + 1).trim()];
}

export function unknownPreset(name: string, known: readonly string[]): string {
  const fix = didYouMean(name, known, `known are ${known.join(', ')}`);
  return `names the unknown preset ${JSON.stringify(name)}; ${fix}`;
}
