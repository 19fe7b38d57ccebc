import { secretsGiven } from '../../kit/secrets/secretPlaces.ts';
import type { StandardError } from '../client/wire/standardError.ts';
import { textsInPod } from '../connection/podOf.ts';
import type { UpstreamContext } from '../connection/context.ts';
import type { ServerDefinition } from '../definition.ts';

/** Reads the log of a server's pod into its output, as long as it has one. */
export class PodLog {
  readonly #context: Pick<UpstreamContext, 'pods'>;
  readonly #server: string;
  readonly #output: Pick<StandardError, 'push' | 'hideToo'>;
  #end: (() => void) | undefined;

  constructor(
    context: Pick<UpstreamContext, 'pods'>,
    server: string,
    output: Pick<StandardError, 'push' | 'hideToo'>,
  ) {
    this.#context = context;
    this.#server = server;
    this.#output = output;
  }

  /** Begins or ends with the definition. */
  follow(definition: Pick<ServerDefinition, 'isInPod' | 'suspended' | 'env'>): void {
    if (!definition.isInPod || definition.suspended) {
      this.end();
      return;
    }
    // It may be read long before its pod is reached, by which the rest is hidden.
    this.#output.hideToo(secretsGiven({ values: textsInPod(definition) }));
    this.#end ??= this.#context.pods()?.follow(this.#server, (chunk) => this.#output.push(chunk));
  }

  end(): void {
    this.#end?.();
    this.#end = undefined;
  }
}
