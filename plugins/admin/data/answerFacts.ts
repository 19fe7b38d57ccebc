import { ConfigControl } from 'pegboard';
import { hiderOf, isSecretName } from 'pegboard/kit';
import type { InboundRequest, JsonObject, Scope, Tool, ToolResult } from 'pegboard';
import type { Hide } from 'pegboard/contracts';
import { secretsOfServers } from '../../kit/secrets/secretsIn.ts';
import { CallSecrets } from '../../contracts/secrets.ts';
import type { ArgumentField } from './argumentFields.ts';

const MAX_CHARS = 65_536;

/** What a tool has answered, as pages show it: without secrets, and at most 64 kB of it. */
export interface AnswerFacts {
  readonly isError: boolean;
  /** How long the call took. */
  readonly ms: number;
  readonly texts: readonly string[];
  /** The structured content as JSON text. */
  readonly structured?: string;
  /** What else it holds: `image (image/png, 1,234 characters)`. */
  readonly others: readonly string[];
  /** Whether more was answered. */
  readonly isCut: boolean;
}

export function callFacts(
  { content, structuredContent, isError }: ToolResult,
  ms: number,
  hide: Hide,
): AnswerFacts {
  let left = MAX_CHARS;
  let isCut = false;
  const bounded = (text: string): string => {
    // Hidden before it is cut: half of a secret is not found.
    const whole = hide(text);
    const part = whole.slice(0, left);
    left -= part.length;
    isCut ||= part.length < whole.length;
    return part;
  };
  const texts = content.flatMap((part) => (typeof part['text'] === 'string' ? [bounded(part['text'])] : []));
  const structured = structuredContent === undefined ? undefined : JSON.stringify(structuredContent, null, 2);
  return {
    isError: isError === true,
    ms: Math.round(ms),
    texts,
    ...(structured !== undefined && { structured: bounded(structured) }),
    others: content.flatMap((part) => (typeof part['text'] === 'string' ? [] : [bounded(otherIn(part))])),
    isCut,
  };
}

function otherIn(part: JsonObject): string {
  const { type, mimeType, data, uri, name } = part;
  const words = [mimeType, uri, name].filter((word) => typeof word === 'string');
  const size = typeof data === 'string' ? [`${data.length.toLocaleString('en')} characters`] : [];
  const said = [...words, ...size].join(', ');
  return said === '' ? String(type) : `${String(type)} (${said})`;
}

/** Hides the secrets of all servers, because one may receive another's; credentials of the call; and secret arguments. */
export function hiderFor(
  scope: Scope<unknown>,
  {
    tool,
    args,
    fields,
    request,
  }: {
    readonly tool: Tool;
    readonly args: JsonObject;
    readonly fields: readonly ArgumentField[];
    readonly request: InboundRequest;
  },
): Hide {
  const ofServers = secretsOfServers(scope.get(ConfigControl));
  const secretNames = new Set(fields.filter(({ kind }) => kind === 'secret').map(({ name }) => name));
  const ofArguments = Object.entries(args).flatMap(([name, value]) =>
    typeof value === 'string' && (secretNames.has(name) || isSecretName(name))
      ? [{ name: 'password', text: value }]
      : [],
  );
  const hide = hiderOf([...ofServers, ...ofArguments]);
  const ofCalls = scope
    .all(CallSecrets)
    .flatMap((source) => source.hiderFor({ tool, request, parent: undefined }) ?? []);
  return (text) => ofCalls.reduce((rest, one) => one(rest), hide(text));
}
