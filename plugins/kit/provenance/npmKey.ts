import { NPM_KEYS } from './trustedRoot.ts';

interface WrittenKey {
  readonly keyId: string;
  readonly keyUsage: KeyUsage;
  readonly publicKey: {
    /** SPKI in base64. */
    readonly rawBytes: string;
    readonly validFor: { readonly start: string; readonly end?: string };
  };
}

type KeyUsage = 'npm:signatures' | 'npm:attestations';

/** A key of npm by its id; undefined if it is not known here. */
export function npmKey(
  id: string,
  usage: KeyUsage,
): { readonly der: Buffer; readonly isValidAt: (time: Date) => boolean } | undefined {
  const keys = JSON.parse(NPM_KEYS) as readonly WrittenKey[];
  const key = keys.find(({ keyId, keyUsage }) => keyId === id && keyUsage === usage)?.publicKey;
  if (key === undefined) return undefined;
  const [start, end] = [Date.parse(key.validFor.start), Date.parse(key.validFor.end ?? '9999-01-01')];
  return {
    der: Buffer.from(key.rawBytes, 'base64'),
    isValidAt: (time) => time.getTime() >= start && time.getTime() < end,
  };
}
