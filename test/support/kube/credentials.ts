import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { makeDirectory } from '../directory.ts';
import type { Credentials } from './kubeClient.ts';

/** A client certificate: the API server reads the user from CN and the groups from O. */
export function signedBy(
  authority: { readonly certificate: string; readonly key: string },
  name: string,
  groups: readonly string[],
): Credentials {
  const { at } = makeDirectory();
  const subject = `${groups.map((group) => `/O=${group}`).join('')}/CN=${name}`;
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const by = ['-CA', authority.certificate, '-CAkey', authority.key, '-subj', subject];
  const out = ['-keyout', at('key.pem'), '-out', at('certificate.pem')];
  execFileSync('openssl', ['req', ...kind, ...by, ...out], { stdio: 'ignore' });
  return {
    certificate: readFileSync(at('certificate.pem'), 'utf8'),
    key: readFileSync(at('key.pem'), 'utf8'),
  };
}

export interface Context {
  readonly url: string;
  readonly ca: string;
  readonly who: Credentials;
  readonly namespace: string;
}
/** A kubeconfig with one context. */
export function kubeconfigOf({ url, ca, who, namespace }: Context): object {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const { token, certificate, key } = who;
  const user = {
    ...(token !== undefined && { token }),
    ...(certificate !== undefined && { 'client-certificate-data': base64(certificate) }),
    ...(key !== undefined && { 'client-key-data': base64(key) }),
  };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'test', cluster: { server: url, 'certificate-authority-data': base64(ca) } }],
    users: [{ name: 'test', user }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace } }],
  };
}
