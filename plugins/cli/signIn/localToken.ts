import { join } from 'node:path';
import { isObject } from 'pegboard';
import type { Invocation } from 'pegboard';
import { configuredUrl } from '../endpointOf.ts';
import type { NamedEndpoint } from '../endpointOf.ts';
import { Failure } from '../failure.ts';
import { textAt } from '../files.ts';
import { readConfig } from '../readConfig.ts';

type Headers = Readonly<Record<string, string>>;
type Place = Pick<Invocation, 'directory' | 'env'>;

/** Name of the file in the state directory of a gateway with the plugin local-token. */
const FILE = 'local-token';
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;
const CHALLENGE = /\brealm="pegboard local token"/;

/** The token of `aggregator.localToken`. It goes to the gateway of the configuration directory alone, because whatever listens at
 *  another address would learn it. @returns undefined if it is not wanted there, or the gateway has not created it @throws Failure */
export async function localToken(place: Place, endpoint: NamedEndpoint): Promise<string | undefined> {
  const text = await textAt(fileOf(place));
  if (text === undefined || !(await isWanted(place, endpoint))) return undefined;
  return text.trim();
}

/** The header for a gateway with this state directory; none if it wants no local token. @throws Failure */
export async function headersFor(stateDirectory: string): Promise<Headers> {
  return headersOf(await textAt(join(stateDirectory, FILE)));
}

/** What clients of the gateway have to send. @throws Failure if the gateway has not created its token */
export async function headersToLink(place: Place, endpoint: NamedEndpoint): Promise<Headers> {
  const token = await localToken(place, endpoint);
  if (token !== undefined || !(await isWanted(place, endpoint))) return headersOf(token);
  throw new Failure(
    `aggregator.localToken is on, and ${fileOf(place)} does not exist: start the gateway first (pegboard serve), or name its state directory with PEGBOARD_STATE_PATH`,
  );
}

/** Whether a gateway refuses because it wants its local token, and no sign-in. */
export function wantsLocalToken({ status, headers }: Response): boolean {
  return status === 401 && CHALLENGE.test(headers.get('www-authenticate') ?? '');
}

/** A gateway refused a request because it wants its local token; in its own words. */
export class LocalTokenNeeded extends Failure {}

/** @throws LocalTokenNeeded */
export async function refuseForLocalToken(refusal: Response): Promise<void> {
  if (!wantsLocalToken(refusal)) return;
  const { error } = (await refusal.json()) as { readonly error: { readonly message: string } };
  throw new LocalTokenNeeded(error.message);
}

function headersOf(text: string | undefined): Headers {
  return text === undefined ? {} : { Authorization: `Bearer ${text.trim()}` };
}

function fileOf({ directory, env }: Place): string {
  return join(env['PEGBOARD_STATE_PATH'] ?? join(directory, 'state'), FILE);
}

async function isWanted({ directory }: Place, { url, isOwn }: NamedEndpoint): Promise<boolean> {
  if (!isOwn && !LOOPBACK.test(new URL(url).hostname)) return false;
  const config = await readConfig(directory);
  const { aggregator } = config.value;
  if (!isObject(aggregator) || aggregator['localToken'] !== true) return false;
  return isOwn || placeOf(url) === placeOf(configuredUrl(config));
}

/** Names of this machine are one. */
function placeOf(url: string): string {
  const { hostname, port } = new URL(url);
  return `${LOOPBACK.test(hostname) ? 'localhost' : hostname}:${port}`;
}
