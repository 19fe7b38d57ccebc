import type { Scope } from 'pegboard';
import { Route } from '../../contracts/http.ts';
import { MetricSource } from '../../contracts/metrics.ts';
import { LineLimit } from '../../kit/http/lineLimit.ts';
import { RateLimit } from '../../kit/http/rateLimit.ts';
import type { AuthServerConfig, ServerConfig } from '../config.ts';
import { SignInCounts } from './signInCounts.ts';
import { Addresses } from './addresses.ts';
import { ClientAddresses } from './clientAddresses.ts';
import { oauthRoute } from './oauthRoute.ts';
import type { OAuthEndpoint } from './oauthRoute.ts';
import { Refusals } from './refusals.ts';

const WINDOW_S = 2;

/** The authorization server as clients and browsers meet it: its addresses, its routes, and how many requests they may make. */
export class Web {
  readonly addresses: Addresses;
  readonly clientAddresses: ClientAddresses;
  readonly refusals: Refusals;
  readonly counts = new SignInCounts();
  readonly #scope: Scope<AuthServerConfig>;

  /** Only apply() makes one. */
  constructor(scope: Scope<AuthServerConfig>) {
    const config = (): ServerConfig => scope.config.aggregator.oauth.server;
    this.#scope = scope;
    this.addresses = new Addresses(config);
    this.clientAddresses = new ClientAddresses(
      config().trustedProxyCIDRs,
      () => this.addresses.base,
      scope.log,
    );
    const lines = new LineLimit(scope.log, () => config().rateLimits.logLines);
    this.refusals = new Refusals(this.limit('perAddress'), lines, this.clientAddresses);
    scope.provide(MetricSource, this.counts);
    scope.onStop(() => lines.end());
  }

  serve(endpoint: OAuthEndpoint): void {
    this.#scope.provide(Route, oauthRoute(endpoint, this.addresses, this.refusals, this.counts));
  }

  /** A limit of the configuration: requests per second, twice as many at once. */
  limit(of: 'perAddress' | 'perClient' | 'perPerson'): RateLimit {
    return new RateLimit(
      () => WINDOW_S * this.#scope.config.aggregator.oauth.server.rateLimits[of],
      WINDOW_S,
    );
  }
}
