import type { StandardError } from '../client/wire/standardError.ts';
import type { UpstreamContext } from '../connection/context.ts';
import type { ServerDefinition } from '../definition.ts';

/** Reads the log of a server's pod into its output, as long as it has one. */
export class PodLog {
  readonly #context: Pick<UpstreamContext, 'pods'>;
  readonly #server: string;
  readonly #output: Pick<StandardError, 'push'>;
  #end: (() => void) | undefined;

  constructor(context: Pick<UpstreamContext, 'pods'>, server: string, output: Pick<StandardError, 'push'>) {
    this.#context = context;
    this.#server = server;
    this.#output = output;
  }

  /** Begins or ends with the definition. */
  follow({ isInPod, suspended }: Pick<ServerDefinition, 'isInPod' | 'suspended'>): void {
    if (!isInPod || suspended) this.end();
    else this.#end ??= this.#context.pods()?.follow(this.#server, (chunk) => this.#output.push(chunk));
  }

  end(): void {
    this.#end?.();
    this.#end = undefined;
  }
}
