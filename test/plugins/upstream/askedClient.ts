import { GatewayError } from '../../../kernel/index.ts';
import type { Cancellation, Client, ClientAnswer, JsonObject, Question } from '../../../kernel/index.ts';

/** A client that receives questions of servers: it answers as told, or not at all. */
export class AskedClient implements Client {
  readonly id = 'asked';
  readonly hasSession: boolean = true;
  readonly capabilities: JsonObject;
  readonly asked: Question[] = [];
  /** Why questions were withdrawn. */
  readonly withdrawn: string[] = [];
  /** @returns undefined to leave the question open */
  answer: (question: Question) => ClientAnswer | undefined = () => ({
    kind: 'result',
    json: '{"action":"accept","content":{}}',
  });

  constructor(capabilities: JsonObject = { elicitation: { form: {}, url: {} } }) {
    this.capabilities = capabilities;
  }

  log(): void {
    // Reads no log messages.
  }
  tell(): boolean {
    return true;
  }

  ask(question: Question, cancel: Cancellation): Promise<ClientAnswer> {
    this.asked.push(question);
    const answer = this.answer(question);
    if (answer !== undefined) return Promise.resolve(answer);
    return new Promise((_, reject) => {
      cancel.onCancel((reason) => {
        this.withdrawn.push(reason);
        reject(new GatewayError('TOOL_CANCELLED', reason));
      });
    });
  }
}
