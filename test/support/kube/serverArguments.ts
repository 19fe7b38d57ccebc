import { generateKeyPairSync } from 'node:crypto';
import type { Directory } from '../directory.ts';
import { trustIn } from './kubeIssuer.ts';
import type { Issuer } from './kubeIssuer.ts';

/** All writes, and all requests for what Pegboard uses. */
const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'Metadata', verbs: ['create', 'update', 'patch', 'delete'] },
    {
      level: 'Metadata',
      resources: [
        { group: 'pegboard.dev' },
        { group: 'coordination.k8s.io', resources: ['leases'] },
        { group: '', resources: ['events', 'secrets'] },
      ],
    },
    { level: 'None' },
  ],
};

/** The arguments of an etcd whose data is in that directory. */
export function etcdArguments({ at }: Directory, url: string, peerPort: number): readonly string[] {
  const peer = `http://127.0.0.1:${peerPort}`;
  const flags = {
    'data-dir': at('etcd'),
    'listen-client-urls': url,
    'advertise-client-urls': url,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `default=${peer}`,
    'log-level': 'warn',
  };
  return [...argsOf(flags), '--unsafe-no-fsync'];
}

export interface ApiOptions {
  /** Paths; the certificate also signs those of clients. */
  readonly certificate: string;
  readonly key: string;
  readonly issuer: Issuer;
  readonly port: number;
  readonly etcdUrl: string;
}
/** The arguments of a kube-apiserver; writes the files that they name. */
export function apiArguments(
  { path, at, write }: Directory,
  { certificate, key, issuer, port, etcdUrl }: ApiOptions,
): readonly string[] {
  const accounts = generateKeyPairSync('rsa', { modulusLength: 2048 });
  write('accounts.key', accounts.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString());
  write('accounts.pub', accounts.publicKey.export({ type: 'spki', format: 'pem' }).toString());
  write('authentication.json', JSON.stringify(trustIn([issuer])));
  write('audit.json', JSON.stringify(AUDIT_POLICY));
  return argsOf({
    'etcd-servers': etcdUrl,
    'bind-address': '127.0.0.1',
    // Else it looks for a default route, which a machine without network does not have.
    'advertise-address': '127.0.0.1',
    'endpoint-reconciler-type': 'none',
    'secure-port': String(port),
    'service-cluster-ip-range': '10.0.0.0/24',
    'cert-dir': path,
    'tls-cert-file': certificate,
    'tls-private-key-file': key,
    'client-ca-file': certificate,
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-key-file': at('accounts.pub'),
    'service-account-signing-key-file': at('accounts.key'),
    'authorization-mode': 'RBAC',
    'authentication-config': at('authentication.json'),
    'audit-policy-file': at('audit.json'),
    'audit-log-path': at('audit.log'),
    // No controller makes the accounts that it asks for.
    'disable-admission-plugins': 'ServiceAccount',
    'enable-priority-and-fairness': 'false',
    profiling: 'false',
  });
}

function argsOf(flags: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
}
