import { GatewayError, isGatewayError, isObject, jsonResult, messageOf, rawResult, resultOf } from 'pegboard';
import type { Call, CallOptions, CallResult, InboundRequest, JsonObject, Scope, Tool } from 'pegboard';
import { firstAnswer } from '../../kit/calls/firstAnswer.ts';
import { unknownName } from '../../kit/faults/remedy.ts';
import { McpResourceSource } from '../../contracts/mcp.ts';
import { requiredText } from './arguments.ts';
import { metaTool } from './metaTool.ts';

const URI = { uri: { type: 'string', description: 'From list_resources' } };

export function listResources(scope: Scope<unknown>): Tool {
  return metaTool({
    name: 'list_resources',
    description: 'List the MCP resources and templates of all servers.',
    run: (_args, { request }) => {
      const resources = resourcesFor(scope, request).map(({ uri, name, description, mimeType }) => ({
        uri,
        name,
        description: description ?? name,
        ...(mimeType !== undefined && { mimeType }),
      }));
      const templates = scope
        .all(McpResourceSource)
        .flatMap((source) => source.templates(request))
        .map(({ uriTemplate, name, description, mimeType }) => ({
          uriTemplate,
          name,
          description,
          mimeType,
        }));
      return listResult('resources', [...resources, ...templates]);
    },
  });
}

export function describeResource(scope: Scope<unknown>): Tool {
  return metaTool({
    name: 'describe_resource',
    description: 'Describe one resource.',
    properties: URI,
    required: ['uri'],
    run: (args, { request }) => {
      const uri = requiredText(args, 'uri');
      const found = resourcesFor(scope, request).find((resource) => resource['uri'] === uri);
      if (found === undefined) throw notFound(scope, uri, request);
      const { name = '', description = '', mimeType = '' } = found;
      return jsonResult({ ...found, uri, name, description, mimeType });
    },
  });
}

export function getResource(scope: Scope<unknown>): Tool {
  return metaTool({
    name: 'get_resource',
    description: 'Read one resource.',
    properties: URI,
    required: ['uri'],
    run: (args, call) => readResource(scope, requiredText(args, 'uri'), call),
  });
}

async function readResource(scope: Scope<unknown>, uri: string, call: Call): Promise<CallResult> {
  const options = callOptionsOf(call);
  const reading = firstAnswer(
    scope.all(McpResourceSource),
    (source) => source.read(uri, call.request, options),
    () => notFound(scope, uri, call.request),
  );
  const json = await reading.catch((error: unknown) => {
    throw retrievalError('resource retrieval', error);
  });
  return contentsOf(json);
}

/** Returns the texts as content; structuredContent holds the complete answer with binary data. */
function contentsOf(json: string): CallResult {
  const { contents: given } = JSON.parse(json) as JsonObject;
  const contents = Array.isArray(given) ? (given as unknown[]) : [];
  const texts = contents.filter(isObject).map(({ text, blob }) => {
    if (typeof text === 'string') return text;
    return `[Binary data: ${typeof blob === 'string' ? blob.length : 0} bytes]`;
  });
  return textBeside(texts.join('\n'), json);
}

/** Returns a list as text, or a text that there is none. structuredContent repeats the list in an object, which some
 *  clients expect if a text is JSON (Gemini CLI 0.61.0). */
export function listResult(name: 'resources' | 'prompts', list: readonly unknown[]): CallResult {
  const text = list.length === 0 ? `No ${name} available` : JSON.stringify(list);
  return resultOf({ content: [{ type: 'text', text }], structuredContent: { [name]: list } });
}

/** @param json the answer of a server, inserted unchanged: it may be nested too deeply for JSON.stringify */
export function textBeside(text: string, json: string): CallResult {
  const item = JSON.stringify({ type: 'text', text });
  return rawResult(`{"content":[${item}],"structuredContent":${json}}`);
}

/** The call options of the meta-tool's own call. */
export function callOptionsOf({ cancel, progress, client, meta }: Call): CallOptions {
  return { cancel, progress, client, meta };
}

export function retrievalError(what: string, error: unknown): GatewayError {
  if (isGatewayError(error)) return error;
  return new GatewayError('UPSTREAM_ERROR', `${what} failed: ${messageOf(error)}`, {
    cause: error,
    expose: false,
  });
}

function resourcesFor(scope: Scope<unknown>, request: InboundRequest): readonly JsonObject[] {
  return scope.all(McpResourceSource).flatMap((source) => source.resources(request));
}

function notFound(scope: Scope<unknown>, uri: string, request: InboundRequest): GatewayError {
  const known = resourcesFor(scope, request).map((resource) => String(resource['uri']));
  const unread = scope.all(McpResourceSource).flatMap((source) => source.unreadResources?.(request) ?? []);
  const text = [`resource not found: ${uri}`, ...unread].join('; ');
  return unknownName({ name: uri, known, kind: 'resources' }, 'RESOURCE_NOT_FOUND', text);
}
