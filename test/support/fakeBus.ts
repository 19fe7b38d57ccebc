import type { Capability, JsonObject } from '../../kernel/index.ts';
import { Channel, Peers } from '../../plugins/contracts/processes.ts';
import type { Subscriber } from '../../plugins/contracts/processes.ts';

interface Subscribed {
  readonly from: string;
  readonly topic: string;
  readonly subscriber: Subscriber;
}

/** A channel between processes in memory. */
export class FakeBus {
  /** Messages are lost. */
  isDeaf = false;
  /** Messages that were lost. */
  lost = 0;
  /** Processes that have ended. */
  readonly ended = new Set<string>();
  readonly #all: Subscribed[] = [];

  /** Members of the scope of a plugin of that process. @param more its other capabilities */
  scopeOf(own: string, more: ReadonlyMap<string, unknown> = new Map()) {
    const channel: Channel = {
      publish: (topic, message) => this.#publish(own, topic, message),
      subscribe: (topic, subscriber) => {
        this.#all.push({ from: own, topic, subscriber });
        return () => undefined;
      },
    };
    const peers: Peers = { own, isAlive: (id) => Promise.resolve(!this.ended.has(id)) };
    const values = new Map([...more, [Channel.id, channel], [Peers.id, peers]]);
    return {
      find: ({ id }: Capability<unknown>) => values.get(id),
      all: ({ id }: Capability<unknown>) => (values.has(id) ? [values.get(id)] : []),
      each: ({ id }: Capability<unknown>, add: (one: unknown) => unknown) =>
        values.has(id) ? add(values.get(id)) : undefined,
      onStart: (run: () => unknown) => void run(),
    };
  }

  /** Every process may have missed messages. */
  gap(): void {
    for (const { subscriber } of this.#all) subscriber.gap?.();
  }

  #publish(own: string, topic: string, message: JsonObject): void {
    if (this.isDeaf) this.lost += 1;
    if (this.isDeaf) return;
    const json = JSON.stringify(message);
    for (const one of this.#all) {
      if (one.from !== own && one.topic === topic) one.subscriber.message(JSON.parse(json) as JsonObject);
    }
  }
}
