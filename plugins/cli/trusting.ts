import { messageOf, trustedCertificates } from 'pegboard';
import type { Invocation } from 'pegboard';
import { optionsOf } from './commonOptions.ts';
import { Failure } from './failure.ts';

/** What fetch needs to trust --extra-ca-file: Node reads NODE_EXTRA_CA_CERTS at its start only. @throws Failure */
export async function trusting(invocation: Invocation): Promise<RequestInit> {
  const ca = trustedBy(optionsOf(invocation).extraCaFile);
  if (ca === undefined) return {};
  const { Agent } = await import('undici');
  return { dispatcher: new Agent({ connect: { ca: [...ca], allowPartialTrustChain: true } }) } as object;
}

function trustedBy(extraCaFile: string | undefined): readonly string[] | undefined {
  try {
    return trustedCertificates(extraCaFile);
  } catch (error) {
    throw new Failure(`--extra-ca-file: ${messageOf(error)}`);
  }
}
