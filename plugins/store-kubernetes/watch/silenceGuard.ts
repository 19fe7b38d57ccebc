import { KubeError } from '../api/kubeError.ts';

export interface SilenceParts {
  /** So long nothing may arrive before `probe`, again and again. */
  readonly silenceMs: number;
  /** So long nothing may arrive, even from a server that answers probes. */
  readonly maxSilenceMs: number;
  /** A cheap request with a time limit of its own; rejects when the server does not answer. */
  readonly probe: (signal: AbortSignal) => Promise<unknown>;
  readonly alive: () => void;
  /** Called once at most. */
  readonly dead: (error: Error) => void;
}

/** Tells a quiet stream from a dead one: of a frozen server, and of a connection that a network has forgotten. */
export class SilenceGuard {
  readonly #parts: SilenceParts;
  readonly #over = new AbortController();
  /** How long nothing has arrived in this silence, in steps of `silenceMs`. */
  #silentMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: SilenceParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#arm();
  }

  /** Something has arrived. */
  heard(): void {
    this.#silentMs = 0;
    this.#arm();
  }

  /** Leaves no timer or request behind. Safe to call twice. */
  stop(): void {
    this.#over.abort(new Error('the watch has ended'));
    clearTimeout(this.#timer);
  }

  #arm(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), this.#parts.silenceMs);
  }

  async #look(): Promise<void> {
    const { silenceMs, maxSilenceMs, probe, alive, dead } = this.#parts;
    const { signal } = this.#over;
    this.#silentMs += silenceMs;
    if (this.#silentMs >= maxSilenceMs) {
      dead(new KubeError('unreachable', `nothing has arrived on the watch for ${this.#silentMs} ms`));
      return;
    }
    try {
      await probe(signal);
    } catch (error) {
      // What has arrived meanwhile proves more than the probe.
      if (!signal.aborted && this.#silentMs > 0) dead(error as Error);
      return;
    }
    if (signal.aborted || this.#silentMs === 0) return;
    alive();
    this.#arm();
  }
}
