import { kubeReason } from '../api/kubeReason.ts';

/** A condition of an object. Source: https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties */
export interface ObjectCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** One of our error codes in CamelCase, which is in the message too, or a word such as `Connected`. */
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}
export type Judgement = Pick<ObjectCondition, 'type' | 'status' | 'reason' | 'message'>;

/** Most characters that the API server allows. */
const MAX_MESSAGE = 1_024;

/** The conditions with their times: a condition keeps the time at which its status last changed.
 *  @param before those of the object @param now RFC 3339 */
export function timedConditions(
  judgements: readonly Judgement[],
  {
    before,
    generation,
    now,
  }: {
    readonly before: readonly ObjectCondition[];
    readonly generation: number | undefined;
    readonly now: string;
  },
): readonly ObjectCondition[] {
  return judgements.map(kubeReason).map(({ type, status, reason, message }) => {
    const former = before.find((one) => one.type === type);
    return {
      type,
      status,
      reason,
      message: message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 1)}…` : message,
      lastTransitionTime: former?.status === status ? former.lastTransitionTime : now,
      ...(generation !== undefined && { observedGeneration: generation }),
    };
  });
}
