import { makeDirectory } from '../directory.ts';
import { until } from '../until.ts';
import type { KubeClient, KubeObject } from './kubeClient.ts';

const RBAC = 'apis/rbac.authorization.k8s.io/v1';
const RBAC_GROUP = 'rbac.authorization.k8s.io';
/** The shortest that an API server gives. */
const TOKEN_SECONDS = 600;

export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}
export interface Subject {
  readonly kind: 'User' | 'Group' | 'ServiceAccount';
  /** As the API server names it: with the prefix of its issuer. */
  readonly name: string;
}
/** What a pod sees of its service account. */
export interface ServiceAccount {
  readonly name: string;
  /** `system:serviceaccount:<namespace>:<name>` */
  readonly userName: string;
  /** The mounted folder: `token`, `ca.crt` and `namespace`. */
  readonly directory: string;
  readonly token: () => string;
  /** Puts a new token into the folder; within 10 s, for which the API server remembers it, the old one is refused. */
  readonly rotateToken: () => Promise<void>;
}
export interface KubeNamespace {
  readonly name: string;
  /** `/api/v1/namespaces/<name>/<resource>`, or with `<group>/<version>` below `/apis`. */
  readonly path: (resource: string, group?: string) => string;
  /** A role of its own within the namespace; resolves once the API server goes by it. */
  readonly grant: (subject: Subject, rules: readonly Rule[]) => Promise<void>;
  /** One that exists already stays as it is. */
  readonly addServiceAccount: (name: string) => Promise<ServiceAccount>;
}

/** A new namespace. Without controllers it cannot be deleted. @param ca PEM, for service accounts */
export async function makeNamespace(admin: KubeClient, ca: string): Promise<KubeNamespace> {
  const { name } = (await admin.create('/api/v1/namespaces', { metadata: { generateName: 'test-' } }))
    .metadata;
  const path: KubeNamespace['path'] = (resource, group) =>
    `/${group === undefined ? 'api/v1' : `apis/${group}`}/namespaces/${name}/${resource}`;
  const grant: KubeNamespace['grant'] = async (subject, rules) => {
    const metadata = { generateName: 'test-' };
    const role = await admin.create(`/${RBAC}/namespaces/${name}/roles`, { metadata, rules });
    const of = subject.kind === 'ServiceAccount' ? { namespace: name } : { apiGroup: RBAC_GROUP };
    await admin.create(`/${RBAC}/namespaces/${name}/rolebindings`, {
      metadata,
      roleRef: { apiGroup: RBAC_GROUP, kind: 'Role', name: role.metadata.name },
      subjects: [{ ...subject, ...of }],
    });
    await until(() => isAllowed(admin, { namespace: name, subject, rule: rules[0] }), { what: 'the role' });
  };
  return {
    name,
    path,
    grant,
    addServiceAccount: (account) => addServiceAccount(admin, { account, ca, name, path }),
  };
}

interface Claim {
  readonly namespace: string;
  readonly subject: Subject;
  readonly rule: Rule | undefined;
}
async function isAllowed(admin: KubeClient, { namespace, subject, rule }: Claim): Promise<boolean> {
  const { kind, name } = subject;
  const user = kind === 'ServiceAccount' ? userNameOf(namespace, name) : name;
  const [group, resource, verb] = [rule?.apiGroups[0], rule?.resources[0], rule?.verbs[0]];
  const resourceAttributes = { namespace, group, resource, verb, name: rule?.resourceNames?.[0] };
  const spec = { ...(kind === 'Group' ? { groups: [name] } : { user }), resourceAttributes };
  const review = await admin.create('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    metadata: {},
    spec,
  });
  return (review.status as { readonly allowed: boolean }).allowed;
}

function userNameOf(namespace: string, account: string): string {
  return `system:serviceaccount:${namespace}:${account}`;
}

interface Wanted extends Pick<KubeNamespace, 'name' | 'path'> {
  readonly account: string;
  readonly ca: string;
}
async function addServiceAccount(
  admin: KubeClient,
  { account, ca, name, path }: Wanted,
): Promise<ServiceAccount> {
  // 409: helm has made it.
  await admin.ask('POST', path('serviceaccounts'), { body: { metadata: { name: account } } });
  // A token is bound to a secret as a pod's is to the pod: it ends with that.
  const issue = async (): Promise<{ secret: KubeObject; token: string }> => {
    const secret = await admin.create(path('secrets'), { metadata: { generateName: `${account}-` } });
    const { name: secretName, uid } = secret.metadata;
    const boundObjectRef = { kind: 'Secret', apiVersion: 'v1', name: secretName, uid };
    const spec = { expirationSeconds: TOKEN_SECONDS, boundObjectRef };
    const answer = await admin.create(path(`serviceaccounts/${account}/token`), { spec });
    return { secret, token: (answer.status as { readonly token: string }).token };
  };
  let current = await issue();
  const directory = makeDirectory({ token: current.token, 'ca.crt': ca, namespace: name });
  return {
    name: account,
    userName: userNameOf(name, account),
    directory: directory.path,
    token: () => current.token,
    rotateToken: async () => {
      const former = current;
      current = await issue();
      directory.replace('token', current.token);
      await admin.delete(path(`secrets/${former.secret.metadata.name}`));
    },
  };
}
