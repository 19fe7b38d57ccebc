import { isDeepStrictEqual } from 'node:util';
import type { GatewayError } from 'pegboard';
import type { CredentialRefusal } from '../../../contracts/credentials.ts';
import type { CallerSecrets, SecretPlace } from '../store/callerSecrets.ts';
import type { CredentialSource } from './credentialSource.ts';
import { personNeeded } from '../record/personNeeded.ts';

type Values = Readonly<Record<string, string>>;

/** The secrets that a person has entered for the `${caller:NAME}` references of a server. */
export class CallerSecretSource implements CredentialSource {
  readonly headers = {};
  readonly retryAt = undefined;
  readonly #place: SecretPlace;
  readonly #secrets: CallerSecrets;
  readonly #names: readonly string[];
  readonly #url: () => string;
  /** What the server has refused. */
  #refused: Values | undefined;

  /** @param names NAMEs of the references */
  constructor(place: SecretPlace, secrets: CallerSecrets, names: readonly string[], url: () => string) {
    this.#place = place;
    this.#secrets = secrets;
    this.#names = names;
    this.#url = url;
  }

  get values(): Values {
    return this.#known ?? {};
  }
  get secrets(): readonly string[] {
    return Object.values(this.values);
  }

  prepare(): Promise<void> | undefined {
    return this.#isComplete() ? undefined : this.#prepare();
  }

  async isUsable(): Promise<boolean> {
    await this.#secrets.read(this.#place);
    return this.#isComplete();
  }

  /** They stay as they are until the person enters others. */
  refused({ status }: CredentialRefusal): Promise<boolean> {
    if (status === 401) this.#refused = this.values;
    return Promise.resolve(false);
  }

  get fault(): GatewayError {
    const missing = this.#names.filter((name) => !Object.hasOwn(this.values, name));
    const { server } = this.#place;
    const secrets = missing.length === 1 ? 'secret' : 'secrets';
    return missing.length > 0
      ? personNeeded(server, `it needs your ${secrets} ${missing.join(', ')}`)
      : personNeeded(server, `it refuses your secret ${this.#names.join(', ')}`);
  }

  get missing(): GatewayError | undefined {
    return this.#known === undefined || this.#isComplete() ? undefined : this.fault;
  }

  /** @throws GatewayError */
  async #prepare(): Promise<void> {
    await this.#secrets.read(this.#place);
    if (!this.#isComplete()) throw this.fault;
  }

  #isComplete(): boolean {
    const { values } = this;
    return (
      this.#names.every((name) => Object.hasOwn(values, name)) &&
      (this.#refused === undefined || !isDeepStrictEqual(this.#refused, values))
    );
  }
  get #known(): Values | undefined {
    return this.#secrets.known(this.#place, this.#url());
  }
}
