import { GatewayError, RequestGate, STAGE, isReply } from 'pegboard';
import type { Caller, InboundRequest, RequestFacts, Scope } from 'pegboard';
import { ADMIN } from '../../kit/authority/adminPages.ts';
import { sessionsIn } from './sessions.ts';

/** A person as the operator names one. */
export interface NamedPerson {
  /** A subject or an email. Empty: a caller who has not signed in. */
  readonly who: string;
  /** Empty: none. */
  readonly issuer: string;
  readonly groups: readonly string[];
  /** As in the header X-Service-Toolset; empty: none. */
  readonly toolset: string;
}
export interface KnownPerson {
  readonly subject: string;
  readonly issuer?: string;
  /** Whether a session of this person is in use: its issuer and groups count then, not those that were typed. */
  readonly isSeen: boolean;
}

/** Requests of persons without a session: they pass the same gate as those of clients, so that the same plugins narrow them. */
export class Persons {
  readonly #scope: Scope<unknown>;
  readonly #callers = new WeakMap<object, Caller>();

  constructor(scope: Scope<unknown>) {
    this.#scope = scope;
    scope.tap(
      'onRequest',
      (request) => {
        const caller = this.#callers.get(request);
        if (caller !== undefined) request.caller = caller;
        return undefined;
      },
      STAGE.identify,
    );
  }

  /** @param by the request of who asks @throws GatewayError REQUEST_FORBIDDEN if a plugin refuses each request of that person */
  async requestOf(
    person: NamedPerson,
    by: Pick<InboundRequest, 'actor'>,
  ): Promise<{ readonly request: InboundRequest; readonly known: KnownPerson }> {
    const seen = this.#seen(person);
    const caller = seen ?? (person.who === '' ? undefined : typed(person));
    const header = (name: string): string | undefined =>
      name === 'x-service-toolset' && person.toolset !== '' ? person.toolset : undefined;
    const facts: RequestFacts = { transport: ADMIN, access: 'caller', header };
    if (caller !== undefined) this.#callers.set(facts, caller);
    const request = await this.#scope.get(RequestGate).open(facts);
    if (isReply(request)) {
      const text = `every request of this person is refused with status ${request.status}`;
      throw new GatewayError('REQUEST_FORBIDDEN', text);
    }
    if (by.actor !== undefined) request.actor = by.actor;
    const { subject = '', issuer } = caller ?? {};
    return {
      request,
      known: { subject, ...(issuer !== undefined && { issuer }), isSeen: seen !== undefined },
    };
  }

  /** The subjects of persons who use sessions, each once. */
  subjects(): readonly string[] {
    return [...new Set(this.#signedIn().map(({ subject }) => subject))];
  }

  #seen({ who, issuer }: NamedPerson): Caller | undefined {
    return this.#signedIn().find(
      ({ subject, claims, issuer: own }) =>
        (subject === who || claims?.['email'] === who) && (issuer === '' || issuer === own),
    );
  }

  /** The caller who used a session last first. */
  #signedIn(): readonly Caller[] {
    return sessionsIn(this.#scope).flatMap(({ request: { caller } }) => caller ?? []);
  }
}

function typed({ who, issuer, groups }: NamedPerson): Caller {
  return {
    subject: who,
    ...(issuer !== '' && { issuer }),
    ...(groups.length > 0 && { claims: { groups: [...groups] } }),
  };
}
