import { CallError, NIL_DEREFERENCE } from '../errors.ts';
import { getKey, hasKey } from '../maps.ts';
import { func } from '../signature.ts';
import type { FuncTable } from '../signature.ts';
import { isNil, kindName, newDict } from '../values.ts';
import type { Dict } from '../values.ts';
import { hostnameOf, parseUrl, printUrl, userinfoText } from './urlSyntax.ts';

export const URLS: FuncTable = {
  urlParse: func(['string'], (_env, text) => urlParse(text)),
  urlJoin: func(['map'], (env, dict) => {
    const text = urlJoin(dict ?? newDict());
    env.checkString(text.length);
    return text;
  }),
};

function urlParse(text: string): Dict {
  const url = parseUrl(text, 'unable to parse url');
  return Object.assign(newDict(), {
    scheme: url.scheme,
    host: url.host,
    hostname: hostnameOf(url.host),
    path: url.path,
    query: url.query,
    opaque: url.opaque,
    fragment: url.fragment,
    userinfo: url.user ? userinfoText(url.user) : '',
  });
}

function part(dict: Dict, key: string): string {
  if (!hasKey(dict, key)) return '';
  const value = getKey(dict, key);
  if (isNil(value)) throw new CallError(NIL_DEREFERENCE);
  if (typeof value === 'string') return value;
  throw new CallError(`unable to parse ${key} key, must be of type string, but ${kindName(value)} found`);
}

function urlJoin(dict: Dict): string {
  const url = {
    scheme: part(dict, 'scheme'),
    host: part(dict, 'host'),
    path: part(dict, 'path'),
    query: part(dict, 'query'),
    opaque: part(dict, 'opaque'),
    fragment: part(dict, 'fragment'),
  };
  const userinfo = part(dict, 'userinfo');
  const user =
    userinfo === ''
      ? undefined
      : parseUrl(`proto://${userinfo}@host`, 'unable to parse userinfo in dict').user;
  return printUrl({ ...url, user });
}
