import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { Channel, Subscriber, WorkerLine } from '../contracts/processes.ts';

/** Messages between the workers; none is lost while both run. */
export class LineChannel implements Channel {
  readonly #line: () => WorkerLine;
  readonly #byTopic = new Map<string, Set<Subscriber>>();

  constructor(line: () => WorkerLine) {
    this.#line = line;
  }

  publish(topic: string, message: JsonObject): void {
    this.#line().tell({ topic, message });
  }

  subscribe(topic: string, subscriber: Subscriber): () => void {
    const subscribers = this.#byTopic.get(topic) ?? new Set();
    this.#byTopic.set(topic, subscribers.add(subscriber));
    return () => void subscribers.delete(subscriber);
  }

  hear({ topic, message }: JsonObject): void {
    if (!isObject(message)) return;
    for (const subscriber of this.#byTopic.get(String(topic)) ?? []) subscriber.message(message);
  }

  tellGap(): void {
    for (const subscribers of this.#byTopic.values()) for (const { gap } of subscribers) gap?.();
  }
}
