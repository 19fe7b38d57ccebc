import { isSecretName } from './hiding.ts';
import { isSecret } from './isSecret.ts';
import { spaced } from './names.ts';
import { isName, isRandom, isSwitch } from './secretForms.ts';
import { hideInUrl } from './secretPlaces.ts';

/** What names of secrets hold, also those that isSecretName() does not know. */
const OF_SECRET = /pass|pwd|psk|pin|key|cred|salt|seed|code|session|licen[sc]e|login|auth|user|token|secret/i;
/** Names of what is written in words. */
const OF_WORDS =
  /(?<![a-z])(?:pg|db|log|time)?(?:region|zone|model|host|hostname|env|environment|level|log|mode|lang|language|locale|version|port|type|format|tz|timezone|encoding|provider|driver|dialect|engine|channel)$/i;
const NUMBER = /^\d{1,5}$/;
/** Places where paths begin: `~`, `..`, `C:`, `\\nas`, and folders that systems have. */
const ROOT =
  /^(?:(?:~|\.{1,2}|[A-Za-z]:|\\\\[\w.-]+)(?=[\\/])|\/(?:app|Applications|bin|boot|data|dev|etc|home|lib|lib64|Library|media|mnt|nix|opt|private|proc|root|run|sbin|snap|srv|sys|System|tmp|Users|usr|var|Volumes|workspaces?)(?=\/|$))/;
const PARTS = /^[\p{L}\p{M}\p{N}_.()+,[\]@~&' \\/-]*$/u;
const ADDRESS = /^(?:http|ws)s?:\/\/(?:[\w.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?(?:\/[\w.~@-]*)*$/i;
/** Words are shorter. */
const LONG = /[a-z\d]{24}/i;
/** Shorter parts of a path are hidden in no text. */
const PART_CHARS = 8;
const MIXED_CHARS = 12;

/** Whether a text is certainly plain, so that it may stay where secrets are hidden: a path, an address, and under a name that says so
 *  a word, as of a region or a model. */
export function isHarmless(name: string, value: string): boolean {
  if (OF_SECRET.test(name) || isSecretName(name)) return false;
  const isPlain = isSwitch(value) || isPath(value) || isAddress(value) || isWord(name, value);
  return isPlain && !isSecret(name, value);
}

function isPath(value: string): boolean {
  const [root] = ROOT.exec(value) ?? [];
  if (root === undefined || LONG.test(value)) return false;
  const rest = value.slice(root.length);
  return PARTS.test(rest) && !rest.split(/[\\/]/).some(isOdd);
}

function isOdd(part: string): boolean {
  return (
    isSecret('', part) ||
    isRandom(part, MIXED_CHARS) ||
    part.split(/[^A-Za-z\d]+/).some((run) => isRandom(run, PART_CHARS))
  );
}

function isAddress(value: string): boolean {
  return ADDRESS.test(value) && hideInUrl(value) === value;
}

/** `eu-west-1`, `db.internal:5432` */
function isWord(name: string, value: string): boolean {
  if (!OF_WORDS.test(spaced(name))) return false;
  return NUMBER.test(value) || (!LONG.test(value) && !/[@,]|:(?!\d{1,5}(?!\w))/.test(value) && isName(value));
}
