import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { TLSSocket } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import { isObject, messageOf } from '../../../kernel/index.ts';
import type { JsonObject } from '../../../kernel/index.ts';
import { claimsOf } from '../../../plugins/kit/oauth/claimsOf.ts';
import { selfSigned } from '../certificate.ts';
import { makeDirectory } from '../directory.ts';
import { httpsSite } from '../httpsSite.ts';
import type { AuditLine, ControlPlane } from './controlPlane.ts';
import { kubeconfigOf, signedBy } from './credentials.ts';
import { kubeClient } from './kubeClient.ts';
import type { KubeObject, WatchEvent } from './kubeClient.ts';
import { PREFIX } from './kubeIssuer.ts';

export interface SimulatedApi extends Pick<
  ControlPlane,
  'admin' | 'certificateOf' | 'kubeconfig' | 'requests'
> {
  /** Deletes the custom resource definition of that plural, and with it all its objects. */
  readonly dropKind: (plural: string) => void;
}

type Ref = NonNullable<AuditLine['objectRef']>;
interface Asked {
  readonly verb: string;
  readonly user: string;
  readonly ref: Ref;
  /** Path of the list. */
  readonly list: string;
  readonly query: URLSearchParams;
  readonly body: JsonObject;
}

const PATH =
  /^(?<list>\/(?:api|apis\/(?<apiGroup>[^/]+))\/[^/]+\/namespaces\/(?<namespace>[^/]+)\/(?<resource>[^/]+))(?:\/(?<name>[^/]+))?(?:\/(?<subresource>[^/]+))?$/;
const WRITES: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** A Kubernetes API in this process, where none is built: objects of namespaces with lists, watches, merge patches and a status of
 *  their own. Shapes and refusals repeat those of kube-apiserver 1.36.3, without managedFields, schemas and their defaults. It believes
 *  every token and certificate; with both, the certificate decides. Closed after the test.
 *  @param mayWrite whether that user may do more than read @param mayRead whether that user may read what is so named */
export async function simulatedApi(
  mayWrite: (user: string) => boolean,
  mayRead: (user: string, name: string) => boolean = () => true,
): Promise<SimulatedApi> {
  /** Path → object. */
  const objects = new Map<string, KubeObject>();
  const events: (WatchEvent & { readonly list: string })[] = [];
  const watches = new Map<ServerResponse, string>();
  const requests: AuditLine[] = [];
  const dropped = new Set<string>();
  let version = 0;

  const happen = (type: WatchEvent['type'], list: string, { metadata, ...rest }: KubeObject): KubeObject => {
    version += 1;
    const object = { ...rest, metadata: { ...metadata, resourceVersion: String(version) } };
    if (type === 'DELETED') objects.delete(`${list}/${metadata.name}`);
    else objects.set(`${list}/${metadata.name}`, object);
    events.push({ type, list, object });
    for (const [res, watched] of watches) if (watched === list) res.write(lineOf({ type, object }));
    return object;
  };
  const watch = (res: ServerResponse, list: string, from: number): void => {
    res.flushHeaders();
    const isLater = ({ metadata }: KubeObject): boolean => Number(metadata.resourceVersion) > from;
    for (const event of events) if (event.list === list && isLater(event.object)) res.write(lineOf(event));
    watches.set(res, list);
    res.on('close', () => watches.delete(res));
  };
  const patched = (list: string, former: KubeObject, { ref, body }: Asked): KubeObject => {
    const { status, ...others } = body;
    const patch = ref.subresource === 'status' ? { status } : others;
    const next = merged(former, patch) as KubeObject;
    if (isDeepStrictEqual(next, former)) return former;
    const generation =
      Number(former.metadata['generation']) + Number(!isDeepStrictEqual(next['spec'], former['spec']));
    return happen('MODIFIED', list, { ...next, metadata: { ...next.metadata, generation } });
  };
  /** The answer to all but watches. */
  const answer = (asked: Asked): readonly [code: number, body: object] => {
    const { verb, user, ref, list, body } = asked;
    const isWrite = Object.values(WRITES).includes(verb);
    if (isWrite ? !mayWrite(user) : !mayRead(user, ref.name ?? ''))
      return failure(403, 'Forbidden', asked, `is forbidden: User "${user}" cannot ${verb} ${placeOf(ref)}`);
    if (verb === 'list') {
      const items = [...objects].filter(([path]) => path.startsWith(`${list}/`)).map(([, object]) => object);
      return [200, { items, metadata: { continue: '', resourceVersion: String(version) } }];
    }
    if (verb === 'create') {
      const { metadata, ...rest } = body as unknown as KubeObject;
      const { namespace = '' } = ref;
      const uid = randomUUID();
      const { name = `${String(metadata['generateName'])}${uid.slice(0, 5)}` } = metadata as Partial<
        typeof metadata
      >;
      const made = { name, namespace, uid, generation: 1, creationTimestamp: now() };
      return [201, happen('ADDED', list, { ...rest, metadata: { ...metadata, ...made } })];
    }
    const former = objects.get(`${list}/${ref.name ?? ''}`);
    if (former === undefined) return failure(404, 'NotFound', asked, 'not found');
    if (verb === 'get') return [200, former];
    if (verb === 'patch') return [200, patched(list, former, asked)];
    if (verb === 'update') {
      const { metadata, ...rest } = body as unknown as KubeObject;
      return [200, happen('MODIFIED', list, { ...rest, metadata: { ...former.metadata, ...metadata } })];
    }
    happen('DELETED', list, former);
    const details = { ...detailsOf(ref), uid: former.metadata.uid };
    return [200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }];
  };

  const site = await httpsSite((req, res) => {
    const answered = askedIn(req).then((asked) => {
      if (asked === undefined || dropped.has(asked.ref.resource)) {
        res.writeHead(404).end('404 page not found\n');
        return;
      }
      const { verb, user, ref, list, query } = asked;
      const [code, body] = verb === 'watch' ? [200] : answer(asked);
      const userAgent = String(req.headers['user-agent']);
      requests.push({ verb, user: { username: user }, userAgent, objectRef: ref, responseStatus: { code } });
      res.writeHead(code, { 'content-type': 'application/json' });
      if (body === undefined) watch(res, list, Number(query.get('resourceVersion')));
      else res.end(lineOf(body));
    });
    answered.catch((error: unknown) => res.writeHead(400).end(`${messageOf(error)}\n`));
  });
  const url = `https://localhost:${site.port}`;
  const ca = site.ca.join('');
  const authority = selfSigned();
  const certificateOf: SimulatedApi['certificateOf'] = (name, ...groups) => signedBy(authority, name, groups);
  return {
    admin: kubeClient(url, ca, certificateOf('admin')),
    certificateOf,
    kubeconfig: (who, namespace = 'default') =>
      makeDirectory({ config: JSON.stringify(kubeconfigOf({ url, ca, who, namespace })) }).at('config'),
    requests: () => requests,
    dropKind: (plural) => {
      dropped.add(plural);
      for (const [path, object] of objects) {
        const list = path.slice(0, path.lastIndexOf('/'));
        if (list.endsWith(`/${plural}`)) happen('DELETED', list, object);
      }
      for (const [res, list] of watches) if (list.endsWith(`/${plural}`)) res.end();
    },
  };
}

/** Undefined for a path that it does not have. */
async function askedIn(req: IncomingMessage): Promise<Asked | undefined> {
  const body = await text(req);
  const { pathname, searchParams: query } = new URL(req.url ?? '', 'https://localhost');
  const groups = PATH.exec(pathname)?.groups;
  if (groups === undefined) return undefined;
  const { list = '', apiGroup = '', namespace = '', resource = '', name, subresource } = groups;
  const read = name !== undefined ? 'get' : query.get('watch') === 'true' ? 'watch' : 'list';
  return {
    verb: WRITES[req.method ?? ''] ?? read,
    user: userOf(req),
    ref: {
      resource,
      apiGroup,
      namespace,
      ...(name !== undefined && { name }),
      ...(subresource !== undefined && { subresource }),
    },
    list,
    query,
    body: body === '' ? {} : (JSON.parse(body) as JsonObject),
  };
}

function userOf({ socket, headers }: IncomingMessage): string {
  const subject = socket instanceof TLSSocket ? socket.getPeerX509Certificate()?.subject : undefined;
  const { email } = claimsOf(headers.authorization?.replace('Bearer ', '') ?? '');
  const byToken = typeof email === 'string' ? PREFIX + email : 'system:anonymous';
  return /CN=(.*)/.exec(subject ?? '')?.[1] ?? byToken;
}

function placeOf({ resource, subresource, apiGroup = '', namespace = '' }: Ref): string {
  const path = resource + (subresource === undefined ? '' : `/${subresource}`);
  return `resource "${path}" in API group "${apiGroup}" in the namespace "${namespace}"`;
}

function failure(code: number, reason: string, { ref }: Asked, said: string): readonly [number, object] {
  const { resource, apiGroup = '', name } = ref;
  const what = `${resource}${apiGroup && `.${apiGroup}`}${name === undefined ? '' : ` "${name}"`}`;
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' };
  return [code, { ...status, message: `${what} ${said}`, reason, details: detailsOf(ref), code }];
}

function detailsOf({ name, apiGroup, resource }: Ref): object {
  return { ...(name !== undefined && { name }), group: apiGroup, kind: resource };
}

/** Source: RFC 7396 */
function merged(former: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const under = isObject(former) ? former : {};
  const kept = Object.entries(under).filter(([key]) => patch[key] !== null);
  const given = Object.entries(patch).filter(([, value]) => value !== null && value !== undefined);
  const over = given.map(([key, value]) => [key, merged(under[key], value)] as const);
  return { ...Object.fromEntries(kept), ...Object.fromEntries(over) };
}

function lineOf(body: object): string {
  return `${JSON.stringify(body)}\n`;
}

function now(): string {
  return new Date().toISOString().replace(/\.\d+/, '');
}
