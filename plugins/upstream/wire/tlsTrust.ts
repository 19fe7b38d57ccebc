import type { SecureContext } from 'node:tls';
import { GatewayError, messageOf, trustedContext } from 'pegboard';

/** What TLS connections trust; undefined: what Node.js trusts. @throws GatewayError CONFIG_UNREADABLE */
export type TlsTrust = () => SecureContext | undefined;

/** Reads each file once, because all authorities together take 30 ms. @param file as configured @param directory of config.yaml */
export function tlsTrust(file: () => string | undefined, directory: () => string): TlsTrust {
  let read: { readonly file: string; readonly context: SecureContext | undefined } | undefined;
  return () => {
    const named = file();
    if (named === undefined) return undefined;
    if (read?.file !== named) read = { file: named, context: contextOf(named, directory()) };
    return read.context;
  };
}

function contextOf(file: string, directory: string): SecureContext | undefined {
  try {
    return trustedContext(file, directory);
  } catch (error) {
    throw new GatewayError('CONFIG_UNREADABLE', `extraCaFile: ${messageOf(error)}`, { cause: error });
  }
}
