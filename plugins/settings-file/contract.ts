import { one } from 'pegboard';
import type { JsonObject } from 'pegboard';

/** Where settings are kept: config.yaml. One per process. */
export interface SettingsStore {
  /** Merges keys into a top-level section in one step; its other keys stay, with comments and order.
   *  @returns where the keys are stored, for people: a path
   *  @throws GatewayError CONFIG_UNREADABLE, STORE_CONFLICT, STORE_FORBIDDEN, STORE_UNREACHABLE */
  merge(section: string, keys: JsonObject): Promise<string>;
}
export const SettingsStore = one<SettingsStore>('settings-store');
