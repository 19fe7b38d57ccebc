/** Beginnings of the tokens of well-known services, and schemes of an Authorization header. */
const TOKENS = [
  /^(?:sk|rk|ak|ok)[-_](?=[\w-]*\d|\S{16})\S{4}/,
  /^(?:pk_(?:live|test)_|gh[oprsu]_|github_pat_|gl(?:pat|rt|dt|soat|ft|imt|agent|cbt|ptt)-|npm_|pypi-|dckr_pat_|hf_)/,
  /^(?:xox[a-z][-.]|xapp-|AIza|ya29\.|1\/\/0|GOCSPX-|sbp_|figd_|ntn_|secret_\w{8}|lin_(?:api|oauth)_|AT[AC]TT3)/,
  /^(?:A[KS]IA[A-Z2-7]|SG\.[\w-]{8}|hv[bsr]\.|shp(?:at|ca|pa|ss)_|do[opr]_v1_|dapi[0-9a-f]{16}|pat[A-Za-z0-9]{14}\.)/,
  /^(?:tvly-|pplx-|gsk_|xai-|nvapi-|ctx7sk|r8_|nfp_|whsec_|sntry[su]_|rpa_|apify_api_)\S{4}/,
  /^(?:fc|tk|key|pk|fw|phx?|sm|re)[-_](?=[a-z]*\d)[\w-]{16}/,
  /^eyJ[\w-]{6}/,
  /^(?:Bearer|Basic|Token) \S+$/,
  /^\d{8,10}:[\w-]{30}/,
  /^0x[0-9a-fA-F]{64}$/,
];
const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY/;
/** The words from which a wallet is made. Source: https://github.com/bitcoin/bips/blob/master/bip-0039.mediawiki */
const SEED_WORDS = /^(?:[a-z]{3,8} ){11}(?:(?:[a-z]{3,8} ){3}){0,4}[a-z]{3,8}$/;
const BASE64 = /^[A-Za-z0-9+/_-]{16,}={0,2}$/;
const IN_BASE64 = /^[\w.@+-]*:\S+$|private_key|PRIVATE KEY|password|secret|token/i;
const SWITCH = /^(?:true|false|null|none|undefined|on|off|yes|no|enabled|disabled)?$/i;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Part of a name: letters, a number, or both. */
const WORD = /^(?:[a-z]+\d{0,4}|v?\d+[a-z]{0,2}|\d{1,4}[a-z]+|t?\d{1,6}(?:t\d{1,6})?z?)$/i;

/** A word, in the cases that people write: `region`, `eastUs2`, `PROD`. */
const CASED = /^(?:[a-z]+(?:[A-Z][a-z]+)*|(?:[A-Z][a-z]+)+|[A-Z]+)\d{0,4}$/;

/** Whether a text begins, or is made, as the tokens of well-known services are, whatever its name. */
export function isToken(text: string): boolean {
  return TOKENS.some((form) => form.test(text)) || PRIVATE_KEY.test(text);
}

/** Whether a text looks like a secret, whatever its name: a token, seed words, credentials in base64. */
export function hasSecretForm(text: string): boolean {
  return isToken(text) || SEED_WORDS.test(text) || holdsCredentials(text);
}

function holdsCredentials(text: string): boolean {
  if (!BASE64.test(text)) return false;
  const held = Buffer.from(text, 'base64').toString('latin1');
  return /^[\t\r\n\x20-\x7e]+$/.test(held) && IN_BASE64.test(held);
}

/** Whether a text is empty, or turns something on or off. */
export function isSwitch(text: string): boolean {
  return SWITCH.test(text);
}

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Whether a text consists to a large part of letters and digits in no order, as no name does. @param least number of its characters */
export function isRandom(text: string, least: number): boolean {
  if (text.length < least || !/^[\w+/=~-]+$/.test(text) || !/\d/.test(text) || !/[a-z]/i.test(text))
    return false;
  const odd = text.split(/[-_/+=~]+/).filter((run) => !WORD.test(run));
  return odd.join('').length >= least / 2;
}

/** Whether a text consists of words and short numbers, with signs between them: `eu-west-1`, `db.internal:5432`. */
export function isName(text: string): boolean {
  const runs = text.split(/[-_.:/,@]/).filter((run) => run !== '');
  const isWordy = runs.every((run) => CASED.test(run) || (WORD.test(run) && /^[a-z]?\d/i.test(run)));
  return isWordy && /[a-z]/i.test(text) && (runs.length > 1 || !/\d/.test(text));
}
