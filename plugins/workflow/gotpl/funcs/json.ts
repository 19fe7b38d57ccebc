import type { Env } from '../env.ts';
import { CallError } from '../errors.ts';
import { func } from '../signature.ts';
import type { FuncTable, GoFunc } from '../signature.ts';
import { indentJson, JsonError, writeJson } from './jsonWrite.ts';
import { JsonParser } from './jsonParse.ts';

type Encode = (value: unknown, env: Env) => string;

const compact: Encode = (value, env) => writeJson(value, { env, escapesHtml: true });
const raw: Encode = (value, env) => writeJson(value, { env, escapesHtml: false });
const pretty: Encode = (value, env) => indentJson(compact(value, env), env);

const must = (encode: Encode): GoFunc => func(['any'], (env, value) => encode(value, env));
const quiet = (encode: Encode): GoFunc => func(['any'], (env, value) => orEmpty(() => encode(value, env)));

export const JSON_FUNCTIONS: FuncTable = {
  toJson: quiet(compact),
  mustToJson: must(compact),
  toPrettyJson: quiet(pretty),
  mustToPrettyJson: must(pretty),
  toRawJson: must(raw),
  mustToRawJson: must(raw),
  fromJson: func(['string'], (env, text) => new JsonParser(text, env).parse().value),
  mustFromJson: func(['string'], (env, text) => {
    const { value, error } = new JsonParser(text, env).parse();
    if (error !== undefined) throw new CallError(error);
    return value;
  }),
};

// toJson prints an empty text for values JSON cannot represent; exceeded limits are still errors.
function orEmpty(encode: () => string): string {
  try {
    return encode();
  } catch (cause) {
    if (cause instanceof JsonError) return '';
    throw cause;
  }
}
