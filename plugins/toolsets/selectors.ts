import { GatewayError } from 'pegboard';
import type { Item } from 'pegboard';
import type { ToolsetView } from './contract.ts';
import { unknownPreset } from './findings.ts';
import { matchServer, matchTool, matchWorkflow } from './match.ts';
import type { Match } from './match.ts';
import type { Presets } from './presets.ts';

/** Bound on selectors in the header and in the argument `toolset`. Source: requirement toolset.invalid. */
const MAX_SELECTORS = 32;
/** Far longer than any name in the catalogue. */
const MAX_SELECTOR_CHARS = 500;

/** Combines the selectors: an item that any of them matches is included. @throws GatewayError TOOL_TOOLSET_INVALID */
export function resolveSelectors(selectors: readonly string[], presets: Presets): ToolsetView {
  if (selectors.length === 0)
    throw invalid('it is empty; leave it out, or name a selector, for example server:github');
  if (selectors.length > MAX_SELECTORS) {
    throw invalid(`it has ${selectors.length} selectors; at most ${MAX_SELECTORS} are allowed`);
  }
  const longest = Math.max(...selectors.map(({ length }) => length));
  if (longest > MAX_SELECTOR_CHARS)
    throw invalid(`a selector has ${longest} characters; at most ${MAX_SELECTOR_CHARS} are allowed`);
  const parts = selectors.map((selector) => ({ selector, matches: onMembers(compile(selector, presets)) }));
  const includes = (item: Item): boolean => parts.some(({ matches }) => matches(item));
  return {
    includes,
    unmatched: (tools) => parts.filter(({ matches }) => !tools.some(matches)).map(({ selector }) => selector),
  };
}

/** A tool with members matches if any of them does. */
function onMembers(match: Match): Match {
  return (item) => item.members?.some(match) ?? match(item);
}

/** Splits `a, b`, the value of the header. */
export function splitHeader(value: string): readonly string[] {
  return value.trim() === '' ? [] : value.split(',').map((selector) => selector.trim());
}

function compile(selector: string, presets: Presets): Match {
  const at = selector.indexOf(':');
  const kind = selector.slice(0, Math.max(at, 0));
  const name = selector.slice(at + 1).trim();
  if (at < 0 || name === '') throw malformed(selector);
  switch (kind) {
    case 'tool':
      return matchTool(name);
    case 'server':
      return matchServer(name);
    case 'workflow':
      return matchWorkflow(name);
    case 'preset':
      return presets.find(name) ?? fail(invalid(unknownPreset(name, presets.names)));
    case 'label':
      throw invalid(
        `${quoted(selector)}: label is for presets only; put it into a preset and use preset:<name>`,
      );
    case 'toolset':
      throw invalid(`${quoted(selector)}: toolset: is reserved; use preset:<name>`);
    default:
      throw malformed(selector);
  }
}

function malformed(selector: string): GatewayError {
  const forms = 'preset:<name>, server:<name>, workflow:<name> or tool:<name>';
  return invalid(`${quoted(selector)} is malformed; a selector is ${forms}`);
}

function invalid(why: string): GatewayError {
  return new GatewayError('TOOL_TOOLSET_INVALID', `invalid toolset: ${why}`);
}

function quoted(selector: string): string {
  return JSON.stringify(selector.length > 80 ? `${selector.slice(0, 80)}…` : selector);
}

function fail(error: GatewayError): never {
  throw error;
}
