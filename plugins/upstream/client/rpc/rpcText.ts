import type { ClientMeta, JsonObject } from 'pegboard';

declare const brand: unique symbol;

/** A request without its id and `_meta`. Created by rpcText(), completed by requestText(). */
export interface RpcText {
  readonly [brand]: 'RpcText';
  readonly method: string;
  /** The members of `params` as JSON text, without the braces; empty for a request without params. */
  readonly members: string;
  /** What the header Mcp-Name repeats: the name or uri of what is called, read or got. */
  readonly name: string | undefined;
  /** Headers that repeat arguments, or the method of a request of the gateway itself, name and value in turn. */
  readonly mirrored: readonly string[] | undefined;
}

/** @param method a method of MCP, which needs no escapes
 *  @param params an object; or its members as JSON text, which are not serialized again:
 *  `"name":"echo","arguments":{…}`, without the surrounding braces and without a trailing comma */
export function rpcText(
  method: string,
  params: JsonObject | string = {},
  { name, mirrored }: Partial<Pick<RpcText, 'name' | 'mirrored'>> = {},
): RpcText {
  const members = typeof params === 'string' ? params : JSON.stringify(params).slice(1, -1);
  return { method, members, name, mirrored } as RpcText;
}

/** @param more further members, as JSON text */
export function withMembers(text: RpcText, more: string): RpcText {
  return { ...text, members: joined(text.members, more) };
}

/** The members of `_meta` of a request; a request without any has no `_meta`. */
export interface RequestMeta {
  /** Members as JSON text; empty for none. */
  readonly envelope?: string;
  readonly progressToken?: number | undefined;
  readonly meta?: ClientMeta | undefined;
}

/** The whole JSON-RPC message. Only concatenates text: a call may have megabytes of arguments.
 *  @param text its params have no `_meta` of their own */
export function requestText(id: number, { method, members }: RpcText, meta: RequestMeta = {}): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{${joined(members, metaMember(meta))}}}`;
}

function metaMember({ envelope = '', progressToken, meta }: RequestMeta): string {
  let members = envelope;
  if (progressToken !== undefined) members = joined(members, `"progressToken":${progressToken}`);
  if (meta !== undefined) members = joined(members, JSON.stringify(meta).slice(1, -1));
  return members === '' ? '' : `"_meta":{${members}}`;
}

function joined(members: string, more: string): string {
  return members === '' || more === '' ? members + more : `${members},${more}`;
}
