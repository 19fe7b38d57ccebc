import type { ClientAnswer, JsonObject, McpLogLevel, Scope } from 'pegboard';
import { Channel } from '../../contracts/processes.ts';

const TOPIC = 'front';

/** What another process must do for a session: it holds the stream, runs the request, has asked the question. */
export type SiblingMessage =
  | { readonly kind: 'ended'; readonly sessionId: string; readonly createdAt: number; readonly owner: string }
  | {
      readonly kind: 'cancel';
      readonly sessionId: string;
      readonly requestId: unknown;
      readonly reason: string;
    }
  | {
      readonly kind: 'answer';
      readonly sessionId: string;
      readonly id: unknown;
      readonly answer: ClientAnswer;
    }
  | { readonly kind: 'progress'; readonly sessionId: string; readonly params: JsonObject }
  /** A message for its standing stream; `question` is the id of a request that the message asks. */
  | { readonly kind: 'tell'; readonly sessionId: string; readonly json: string; readonly question?: string }
  /** I have sent the question on its standing stream. */
  | { readonly kind: 'sent'; readonly sessionId: string; readonly question: string }
  /** A resource that it watches has changed. */
  | { readonly kind: 'updated'; readonly sessionId: string; readonly uri: string }
  /** I have its standing stream from now on. */
  | { readonly kind: 'attached'; readonly sessionId: string }
  /** A log message of a server, outside calls, for standing streams. */
  | { readonly kind: 'log'; readonly level: McpLogLevel; readonly params: string; readonly server: string };

type Handlers = {
  readonly [K in SiblingMessage['kind']]: (message: Extract<SiblingMessage, { kind: K }>) => void;
};

/** Messages about sessions between the processes that act as one gateway. */
export class Siblings {
  readonly #scope: Scope<unknown>;

  constructor(scope: Scope<unknown>) {
    this.#scope = scope;
  }

  /** @returns false if this process is alone */
  send(message: SiblingMessage): boolean {
    const channel = this.#scope.find(Channel);
    channel?.publish(TOPIC, message);
    return channel !== undefined;
  }

  /** @param gap messages may have been lost */
  listen(handlers: Handlers, gap: () => void): void {
    const message = (received: JsonObject): void => {
      const one = received as unknown as SiblingMessage;
      // Another version of Pegboard may send a kind that this one does not know.
      (handlers as Readonly<Record<string, ((message: never) => void) | undefined>>)[one.kind]?.(
        one as never,
      );
    };
    this.#scope.each(Channel, (channel) => channel.subscribe(TOPIC, { message, gap }));
  }
}
