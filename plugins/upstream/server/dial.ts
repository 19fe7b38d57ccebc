import { GatewayError, fillReferences, secretsGiven } from 'pegboard';
import type { Filled } from 'pegboard';
import type { UpstreamConfig } from '../config.ts';
import type { ServerDefinition } from '../definition.ts';
import type { StandardError } from '../wire/standardError.ts';
import type { TlsTrust } from '../wire/tlsTrust.ts';
import type { Watchdog } from '../wire/watchdog.ts';
import type { HttpOptions } from '../wire/httpWire.ts';
import { StdioWire } from '../wire/stdioWire.ts';
import type { Wire, WireListener } from '../wire/wire.ts';

export interface DialParts {
  readonly config: () => UpstreamConfig;
  readonly watchdog: Watchdog;
  readonly trust: TlsTrust;
  /** Base directory of relative `${file:…}` references. */
  readonly directory: string;
  readonly output: StandardError;
}

/** Creates the wire for a definition, not opened yet.
 *  @throws GatewayError CONFIG_REFERENCE, CONFIG_INVALID */
export async function dial(
  definition: ServerDefinition,
  listener: WireListener,
  parts: DialParts,
): Promise<Wire> {
  const { directory, watchdog, output, config, trust } = parts;
  if (definition.type === 'stdio') {
    const { values: own, secrets } = filled(definition, 'env', directory);
    output.hide(secretsGiven({ values: secrets, words: definition.command }));
    output.begin();
    const env = { ...inherited(config().inheritEnv), ...own };
    const { maxMessageBytes, maxQueuedBytes } = config();
    const { command } = definition;
    return new StdioWire(
      { command, env, watchdog, output, graces: config, limits: config, maxMessageBytes, maxQueuedBytes },
      listener,
    );
  }
  const url = URL.canParse(definition.url) ? new URL(definition.url) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new GatewayError('CONFIG_INVALID', 'url of the definition is not an http or https URL');
  }
  const { values: headers, secrets } = filled(definition, 'headers', directory);
  output.hide(secretsGiven({ values: secrets, url: definition.url }));
  const redact = (text: string): string => output.redact(text);
  const connectMs = definition.timeoutMs;
  const options = { ...config(), limits: config, url, headers, connectMs, redact, trust };
  return remoteWire(definition.type, options, listener);
}

/** Creates a wire over HTTP, not opened yet. The module is imported at the first call. */
export async function remoteWire(
  type: 'streamable-http' | 'sse',
  options: HttpOptions,
  listener: WireListener,
): Promise<Wire> {
  if (type === 'sse') return new (await import('../wire/sseWire.ts')).SseWire(options, listener);
  return new (await import('../wire/httpWire.ts')).HttpWire(options, listener);
}

function filled(definition: ServerDefinition, field: 'env' | 'headers', directory: string): Filled {
  const found = fillReferences(definition[field], directory);
  const [fault] = found.faults;
  if (fault === undefined) return found;
  throw new GatewayError('CONFIG_REFERENCE', `${field}.${fault.name} ${fault.message}`);
}

function inherited(names: readonly string[]): Record<string, string> {
  const found = names.map((name) => [name, process.env[name]] as const);
  return Object.fromEntries(found.filter((pair): pair is [string, string] => pair[1] !== undefined));
}
