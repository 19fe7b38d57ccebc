import { isObject } from 'pegboard';
import type { ClientMeta, InboundRequest, JsonObject } from 'pegboard';
import { traceOf } from './traceOf.ts';

/** A key with a prefix. Reserved are prefixes with a label `mcp` or `modelcontextprotocol`, and Pegboard's own: a server would
 *  take them as said by the gateway. Source: MCP 2025-11-25, `_meta`. */
const OF_CLIENT = /^(?!(?:[^/]*\.)?(?:mcp|modelcontextprotocol)[./])(?!pegboard\.dev\/)[^/]+\//i;

/** What the request says to servers: its trace, and keys of its client in `_meta` (decision D105). */
export function metaOf(params: JsonObject, request: InboundRequest): ClientMeta | undefined {
  const trace = traceOf(params, request);
  const { _meta: meta } = params;
  if (!isObject(meta)) return trace;
  const own = Object.keys(meta).filter((key) => OF_CLIENT.test(key));
  if (own.length === 0) return trace;
  return { ...trace, ...Object.fromEntries(own.map((key) => [key, meta[key]])) };
}
