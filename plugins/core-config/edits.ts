import { isDeepStrictEqual } from 'node:util';
import { GatewayError, isError, isObject, placeText } from 'pegboard';
import { inTurn } from 'pegboard/kit';
import type { ConfigControl, Issue, JsonObject, Log, ReloadReport } from 'pegboard';

export interface Edits {
  /** Merges keys into the unsaved edits and applies them.
   *  @throws GatewayError CONFIG_INVALID; the former configuration then stays in force */
  change(aggregator: JsonObject): Promise<void>;
  /** Drops the unsaved edits and applies what is on disk. */
  discard(): Promise<ReloadReport>;
  /** Passes the unsaved edits to `write`. @returns its result; undefined if there are no edits */
  save<T>(write: (aggregator: JsonObject) => Promise<T>): Promise<T | undefined>;
  /** Drops the unsaved edits without a reload; the next reload applies what is on disk. */
  forget(): void;
  /** The unsaved edits, as keys of the aggregator section. */
  unsaved(): JsonObject;
}

/** Unsaved edits of the aggregator section. Operations run one after another. If a key is edited in config.yaml after its
 *  unsaved edit, the file overrides it, so that an edited file always takes effect. */
export function createEdits(control: () => ConfigControl, log: Log): Edits {
  let pending: JsonObject | undefined;
  /** The value of each pending key in config.yaml when the key was changed here. */
  const before = new Map<string, unknown>();
  const queued = inTurn();
  const amended = (file: JsonObject): JsonObject => {
    const section = isObject(file['aggregator']) ? file['aggregator'] : {};
    for (const key of Object.keys(pending ?? {})) {
      if (!before.has(key)) before.set(key, section[key]);
      if (isDeepStrictEqual(before.get(key), section[key])) continue;
      const others = Object.entries(pending ?? {}).filter(([other]) => other !== key);
      pending = others.length === 0 ? undefined : Object.fromEntries(others);
      log.warn('config.yaml was edited after an unsaved change of the same key; the file overrides it', {
        key,
      });
    }
    return pending === undefined ? {} : { aggregator: pending };
  };
  const set = (aggregator: JsonObject | undefined): void => {
    pending = aggregator;
    control().amend(aggregator && amended);
  };
  return {
    change: (aggregator) =>
      queued(async () => {
        const former = pending;
        for (const key of Object.keys(aggregator)) before.delete(key);
        set({ ...former, ...aggregator });
        const { applied, issues } = await control().reload();
        if (applied) return;
        set(former);
        const why = issues.filter(isError).map(issueLine).join('; ');
        throw new GatewayError('CONFIG_INVALID', `the aggregator configuration was not applied: ${why}`);
      }),
    discard: () =>
      queued(() => {
        set(undefined);
        return control().reload();
      }),
    save: (write) =>
      queued(async () => {
        if (pending === undefined) return undefined;
        const written = await write(pending);
        set(undefined);
        await control().reload();
        return written;
      }),
    forget: () => {
      if (pending !== undefined) set(undefined);
    },
    unsaved: () => pending ?? {},
  };
}

/** `file:line:column: message` */
export function issueLine(issue: Issue): string {
  const place = placeText(issue);
  return place === undefined ? issue.message : `${place}: ${issue.message}`;
}
