import type { JsonObject, TraceContext } from 'pegboard';

declare const brand: unique symbol;

/** A request before it is sent: all of it but its id and `_meta`. Made by rpcText(), put together by requestText(). */
export interface RpcText {
  readonly [brand]: 'RpcText';
  readonly method: string;
  /** What stands between the braces of `params`, as JSON text; empty for a request without params. */
  readonly members: string;
}

/** @param method a method of MCP, which needs no escapes
 *  @param params an object; or, for what is JSON text already and need not be written again, its members as text:
 *  `"name":"echo","arguments":{…}`, without the braces around them and without a comma at the end */
export function rpcText(method: string, params: JsonObject | string = {}): RpcText {
  const members = typeof params === 'string' ? params : JSON.stringify(params).slice(1, -1);
  return { method, members } as RpcText;
}

/** What Pegboard puts into `_meta` of a request; a request with neither gets no `_meta`. */
export interface RequestMeta {
  readonly progressToken?: number | undefined;
  readonly trace?: TraceContext | undefined;
}

/** The whole JSON-RPC message. Only joins text: a call may carry megabytes of arguments.
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
