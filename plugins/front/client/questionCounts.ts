import type { ClientAnswer, Question } from 'pegboard';
import { Tally } from '../../kit/metrics/tally.ts';

const KINDS = new Set(['elicitation', 'sampling', 'roots']);

/** Questions of servers to clients. */
export class QuestionCounts {
  readonly asked = new Tally();
  readonly answered = new Tally();
  #open = 0;

  /** Asked, and neither answered nor withdrawn. */
  get open(): number {
    return this.#open;
  }

  /** Counts a question and how it ends. @returns `answer` as it is */
  follow({ method }: Pick<Question, 'method'>, answer: Promise<ClientAnswer>): Promise<ClientAnswer> {
    const kind = kindOf(method);
    this.asked.add({ kind });
    this.#open += 1;
    const ended = (how: string): void => {
      this.#open -= 1;
      this.answered.add({ kind, answer: how });
    };
    answer.then(
      ({ kind: how }) => ended(how),
      () => ended('none'),
    );
    return answer;
  }
}

/** `elicitation/create` is of kind elicitation. */
function kindOf(method: string): string {
  const [kind = ''] = method.split('/');
  return KINDS.has(kind) ? kind : 'other';
}
