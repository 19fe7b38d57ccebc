import type { Invocation } from 'pegboard';
import type { NamedEndpoint } from '../endpointOf.ts';
import type { SessionTransport } from '../gateway.ts';
import { openTransport } from '../openTransport.ts';

/** How long the gateway may take for the first answer: what does not speak HTTP may stay silent. */
const FIRST_MS = 10_000;

/** As openTransport, and reports by how many seconds the clock of the gateway is ahead of this machine's. */
export function openMeasuring(measured: (secondsAhead: number) => void) {
  let hasAnswered = false;
  const timed = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const answer = await (hasAnswered ? fetch(url, init) : inTime(fetch(url, init)));
    hasAnswered = true;
    const date = Date.parse(answer.headers.get('date') ?? '');
    if (!Number.isNaN(date)) measured(Math.round((date - Date.now()) / 1_000));
    return answer;
  };
  return (invocation: Invocation, endpoint: NamedEndpoint): Promise<SessionTransport> =>
    openTransport(invocation, endpoint, { fetch: timed });
}

async function inTime(answer: Promise<Response>): Promise<Response> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new Error(`no answer within ${FIRST_MS / 1_000} s`);
    timer = setTimeout(() => reject(error), FIRST_MS);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
