import type { JsonObject, TraceContext } from 'pegboard';

declare const brand: unique symbol;

/** A request without its id and `_meta`. Created by rpcText(), completed by requestText(). */
export interface RpcText {
  readonly [brand]: 'RpcText';
  readonly method: string;
  /** The members of `params` as JSON text, without the braces; empty for a request without params. */
  readonly members: string;
}

/** @param method a method of MCP, which needs no escapes
 *  @param params an object; or its members as JSON text, which are not serialized again:
 *  `"name":"echo","arguments":{…}`, without the surrounding braces and without a trailing comma */
export function rpcText(method: string, params: JsonObject | string = {}): RpcText {
  const members = typeof params === 'string' ? params : JSON.stringify(params).slice(1, -1);
  return { method, members } as RpcText;
}

/** The members of `_meta` of a request; a request with neither has no `_meta`. */
export interface RequestMeta {
  readonly progressToken?: number | undefined;
  readonly trace?: TraceContext | undefined;
}

/** The whole JSON-RPC message. Only concatenates text: a call may have megabytes of arguments.
 *  @param text its params have no `_meta` of their own */
export function requestText(id: number, { method, members }: RpcText, meta: RequestMeta = {}): string {
  const last = metaMember(meta);
  const comma = members === '' || last === '' ? '' : ',';
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{${members}${comma}${last}}}`;
}

function metaMember({ progressToken, trace }: RequestMeta): string {
  if (trace !== undefined) return `"_meta":${JSON.stringify({ progressToken, ...trace })}`;
  return progressToken === undefined ? '' : `"_meta":{"progressToken":${progressToken}}`;
}
