import { GatewayError, isError, placeText } from 'pegboard';
import type { ConfigControl, Issue, JsonObject, ReloadReport } from 'pegboard';

export interface Edits {
  /** Merges keys into the unsaved edits and applies them.
   *  @throws GatewayError CONFIG_INVALID; the former configuration then goes on */
  change(aggregator: JsonObject): Promise<void>;
  /** Drops the unsaved edits and applies what is on disk. */
  discard(): Promise<ReloadReport>;
  /** Hands the unsaved edits to `write`. @returns what it gives; undefined when there are none */
  save<T>(write: (aggregator: JsonObject) => Promise<T>): Promise<T | undefined>;
  /** Drops the unsaved edits; the next reload sees to the rest. */
  forget(): void;
}

/** Unsaved edits of the aggregator section. Everything runs one after another. */
export function createEdits(control: () => ConfigControl): Edits {
  let pending: JsonObject | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work, work);
    last = turn;
    return turn;
  };
  const set = (aggregator: JsonObject | undefined): void => {
    pending = aggregator;
    control().amend(aggregator && { aggregator });
  };
  return {
    change: (aggregator) =>
      inTurn(async () => {
        const former = pending;
        set({ ...former, ...aggregator });
        const { applied, issues } = await control().reload();
        if (applied) return;
        set(former);
        const why = issues.filter(isError).map(issueText).join('; ');
        throw new GatewayError('CONFIG_INVALID', `the aggregator configuration was not taken over: ${why}`);
      }),
    discard: () =>
      inTurn(() => {
        set(undefined);
        return control().reload();
      }),
    save: (write) =>
      inTurn(async () => {
        if (pending === undefined) return undefined;
        const written = await write(pending);
        set(undefined);
        await control().reload();
        return written;
      }),
    forget: () => {
      if (pending !== undefined) set(undefined);
    },
  };
}

/** `file:line:column: message` */
export function issueText(issue: Issue): string {
  const place = placeText(issue);
  return place === undefined ? issue.message : `${place}: ${issue.message}`;
}
