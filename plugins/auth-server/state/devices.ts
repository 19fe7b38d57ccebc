import { randomInt } from 'node:crypto';
import type { Scope } from 'pegboard';
import { Vault } from '../../contracts/vault.ts';
import { digest, newSecret } from '../../kit/secrets/secrets.ts';

/** The grant type of devices. */
export const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';
/** Replaces the redirect URI in the code that a device redeems. */
export const DEVICE_REDIRECT = 'urn:pegboard:device';
/** How often a device may ask, in seconds. */
export const POLL_S = 5;
const KIND = 'oauth-device:';
/** How long a person has to type the code, in seconds. */
export const DEVICE_S = 600;
/** Letters that no word has and no person confuses. Source: RFC 8628 §6.1 */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const HALF_CHARS = 4;

/** A device that waits for a person to sign in elsewhere. */
export interface WaitingDevice {
  readonly clientId: string;
  readonly scope: string;
  /** Digest of the device code. */
  readonly challenge: string;
  /** The address that it asked from. */
  readonly address: string;
  /** Time in ms since 1970. */
  readonly begunAt: number;
  /** What became of it; absent: nothing yet. */
  readonly decision?: 'allowed' | 'denied';
}
/** The codes of a device. */
export interface DeviceCodes {
  /** Its secret, by which it asks whether a person has signed in. */
  readonly deviceCode: string;
  /** What the person types: `BCDF-GHJK`. */
  readonly userCode: string;
}

/** Waiting devices in the vault, each by the digest of the code that its person types. Source: RFC 8628 */
export class Devices {
  readonly #scope: Scope<unknown>;

  constructor(scope: Scope<unknown>) {
    this.#scope = scope;
  }

  /** @throws GatewayError STORE_UNREACHABLE, STORE_FORBIDDEN */
  async begin(asked: Omit<WaitingDevice, 'challenge' | 'begunAt'>): Promise<DeviceCodes> {
    for (;;) {
      const userCode = `${letters()}-${letters()}`;
      const id = idOf(userCode);
      const deviceCode = `${id}.${newSecret()}`;
      const device: WaitingDevice = { ...asked, challenge: digest(deviceCode), begunAt: Date.now() };
      if (await this.#vault.putIfAbsent(KIND + id, device, DEVICE_S)) return { deviceCode, userCode };
    }
  }

  /** @param id as idOf() gives it @returns undefined if it is unknown or expired @throws GatewayError STORE_UNREACHABLE */
  async find(id: string): Promise<WaitingDevice | undefined> {
    return (await this.#vault.get(KIND + id)) as WaitingDevice | undefined;
  }

  /** @returns false if it is unknown, expired or decided @throws GatewayError STORE_UNREACHABLE */
  async decide(id: string, decision: 'allowed' | 'denied'): Promise<boolean> {
    const device = await this.find(id);
    if (device === undefined || device.decision !== undefined) return false;
    const seconds = DEVICE_S - (Date.now() - device.begunAt) / 1_000;
    return this.#vault.compareAndSwap(KIND + id, device, { ...device, decision }, seconds);
  }

  get #vault(): Vault {
    return this.#scope.get(Vault);
  }
}

/** The id of a device by what its person has typed, in any case and with any dashes. */
export function idOf(userCode: string): string {
  return digest(userCode.toUpperCase().replaceAll(/[^A-Z]/g, ''));
}

function letters(): string {
  return Array.from({ length: HALF_CHARS }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}
