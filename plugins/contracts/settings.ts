import { one } from 'pegboard';
import type { JsonObject, Position } from 'pegboard';

/** Where the configuration in force comes from, for people. */
export interface ConfigOrigins {
  /** Every value in force, in the order of the schema, with config.yaml as it is on disk now. Never rejects. */
  read(): Promise<readonly ConfigValue[]>;
}
export const ConfigOrigins = one<ConfigOrigins>('config-origins');

/** One value of the configuration: a list is one value, as is an empty map. */
export interface ConfigValue {
  /** Its keys, as in config.yaml. */
  readonly path: readonly string[];
  /** Secrets are hidden as in core_config_get. */
  readonly value: unknown;
  readonly source: ConfigSource;
  /** Position of the value that config.yaml has for these keys now, whether that is in force or not. */
  readonly place?: Position;
}
/** `default`: of the schema; those of a plugin's own keys count only if it runs. `file`: config.yaml. `unsaved`: of
 *  core_config_update_aggregator. `other`: a flag of the command line, or an earlier config.yaml whose successor is not applied. */
export type ConfigSource = 'default' | 'file' | 'unsaved' | 'other';

/** Where settings are kept: config.yaml. One per process. */
export interface SettingsStore {
  /** Merges keys into a top-level section in one step; its other keys stay, with comments and order.
   *  @returns where the keys are stored, for people: a path
   *  @throws GatewayError CONFIG_UNREADABLE, STORE_CONFLICT, STORE_FORBIDDEN, STORE_UNREACHABLE */
  merge(section: string, keys: JsonObject): Promise<string>;
  /** Sets top-level keys in one step, if they are still as they were; undefined is an absent key. All else stays, with
   *  comments and order. @param inForce the whole text that it may only be written over, so that nothing else comes into force
   *  @throws GatewayError as merge() does */
  replace(before: JsonObject, after: JsonObject, inForce?: string): Promise<Replaced>;
}
/** Settings that were replaced. */
export interface Replaced {
  /** Where they are stored, as merge() says. */
  readonly path: string;
  /** Brings back the text from before, to the letter, unless others have changed it since. @throws GatewayError as merge() does */
  undo(): Promise<void>;
}
export const SettingsStore = one<SettingsStore>('settings-store');
