import type { InboundRequest, LogData, LogLevel } from 'pegboard';
import type { LineLimit } from '../../kit/http/lineLimit.ts';
import type { RateLimit } from '../../kit/http/rateLimit.ts';
import type { ClientAddresses } from './clientAddresses.ts';
import { countRequest } from './countRequest.ts';

/** Refused requests by the address that they come from: how many it may cause, and what the log reports about them. */
export class Refusals {
  readonly #limit: RateLimit;
  readonly #lines: LineLimit;
  readonly #addresses: ClientAddresses;

  constructor(limit: RateLimit, lines: LineLimit, addresses: ClientAddresses) {
    this.#limit = limit;
    this.#lines = lines;
    this.#addresses = addresses;
  }

  /** @returns the address whose limit counts for the request @throws OAuthError rate_limit_exceeded (429) */
  count(request: InboundRequest): string {
    const address = this.#addresses.of(request);
    countRequest(this.#limit, address);
    return address;
  }

  /** @param reason in kebab-case */
  write(level: LogLevel, text: string, request: InboundRequest, facts: LogData & { reason: string }): void {
    const { path = '', id } = request;
    this.#lines.write(level, text, { path, ...facts, address: this.#addresses.of(request), request: id });
  }

  /** The limit of an address was exceeded: others may share it. */
  writeLimit(text: string, request: InboundRequest, facts: LogData & { reason: string }): void {
    this.write('info', text, request, { ...facts, ...this.#addresses.fixOf(request) });
  }
}
