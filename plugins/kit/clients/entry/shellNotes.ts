import type { Env } from 'pegboard';
import type { Texts } from './valuesOf.ts';

/** Programs that read variables of a shell, by a word of their command. */
const FAMILIES: readonly (readonly [word: RegExp, variable: RegExp])[] = [
  [/aws|bedrock/i, /^AWS_/],
  [/kube|k8s|helm/i, /^KUBECONFIG$/],
  [/google|gcloud|gcp|bigquery|vertex/i, /^(GOOGLE_|CLOUDSDK_)/],
  [/azure|\baz\b/i, /^AZURE_/],
  [/\bssh|\bgit\b/i, /^SSH_AUTH_SOCK$/],
  [/\b(docker|podman)\b/i, /^DOCKER_(HOST|CONTEXT|CONFIG)$/],
];

/** What a client would have passed on of the shell in which it runs: Pegboard passes on what a definition says. */
export function shellNotes(words: readonly string[], given: Texts, env: Env): readonly string[] {
  const line = words.join(' ');
  const wanted = FAMILIES.filter(([word]) => word.test(line)).map(([, variable]) => variable);
  return Object.keys(env)
    .filter((name) => !Object.hasOwn(given, name) && wanted.some((one) => one.test(name)))
    .map(
      (name) =>
        `${name} of this shell is not passed on; if the server needs it: env: { ${name}: '\${env:${name}}' }`,
    );
}
