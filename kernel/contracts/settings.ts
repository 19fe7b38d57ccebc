import type { LogLevel } from '../log.ts';
import type { JsonObject } from './json.ts';

/** config.yaml with every default filled in. Source: schemas/config.schema.json. */
export interface Settings {
  readonly namespace: string;
  readonly orchestrator: boolean;
  readonly aggregator: AggregatorSettings;
  readonly toolsetPresets: Readonly<Record<string, JsonObject>>;
  readonly plugins: Readonly<Record<string, boolean | PluginEntry>>;
  /** Plugins that no live edit may switch off, change or take off this list. */
  readonly required: readonly string[];
  readonly [section: string]: unknown;
}
/** How requests to other machines are sent. */
export interface NetworkSettings {
  /** PEM file, relative to config.yaml, for trustedCertificates(). It could be read when the settings were. */
  readonly extraCaFile?: string;
  /** The url of a proxy for everything, or `none`; absent: as the environment says. */
  readonly proxy?: string;
  /** Entries of NO_PROXY in place of those of the environment. */
  readonly noProxy?: readonly string[];
  /** Whether the proxy refuses private addresses itself. */
  readonly proxyResolves?: boolean;
}
export interface AggregatorSettings extends NetworkSettings {
  readonly host: string;
  readonly port: number;
  readonly transport: 'streamable-http' | 'sse' | 'stdio';
  readonly enabled: boolean;
  readonly servicePrefix: string;
  readonly logLevel: LogLevel;
  readonly [key: string]: unknown;
}
/** `plugins.<name>` of config.yaml if it is an object. */
export interface PluginEntry {
  readonly module?: string;
  readonly config?: JsonObject;
}
export type Env = Readonly<Record<string, string | undefined>>;
