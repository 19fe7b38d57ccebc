import { Buffer } from 'node:buffer';
import { createHash, timingSafeEqual } from 'node:crypto';
import { env } from 'node:process';
import { STAGE } from 'pegboard';

const REFUSAL = {
  status: 401,
  headers: { 'www-authenticate': 'ApiKey realm="pegboard"' },
  body: { error: { code: 'REQUEST_UNAUTHENTICATED', message: 'send your API key in the header x-api-key' } },
};
const FORM = /^(sha256:[0-9a-f]{64}|\$\{env:\w+\})$/;
const FORMS = 'sha256:<64 hex digits> or ${env:NAME}';
const sha256 = (text) => createHash('sha256').update(text).digest();

/** Digests of all keys by caller. @throws Error if a variable is not set, because an empty key must not open the gateway */
function readKeys(keys) {
  return Object.entries(keys).map(([subject, key]) => {
    const [, variable] = /^\$\{env:(.+)\}$/.exec(key) ?? [];
    if (variable === undefined) return { subject, digest: Buffer.from(key.slice('sha256:'.length), 'hex') };
    if (!env[variable]) throw new Error(`keys.${subject}: set the environment variable ${variable}`);
    return { subject, digest: sha256(env[variable]) };
  });
}

/** @type {import('pegboard').Plugin} */
export const plugin = {
  name: 'auth-apikey',
  api: 1,
  configSchema: {
    type: 'object',
    additionalProperties: false,
    required: ['keys'],
    properties: {
      keys: {
        description: 'Caller → its key, as sha256:<64 hex digits> or ${env:NAME}.',
        type: 'object',
        minProperties: 1,
      },
    },
  },
  // Not in the schema, whose messages show values: a plain-text key in config.yaml must not reach the log.
  check: ({ keys }) =>
    Object.entries(keys)
      .filter(([, key]) => !FORM.test(key))
      .map(([subject]) => ({ path: ['keys', subject], message: `keys.${subject} must be ${FORMS}` })),
  apply(scope) {
    let keys = readKeys(scope.config.keys);
    const identify = (request) => {
      const sent = request.header('x-api-key');
      if (sent === undefined || request.caller !== undefined) return;
      const digest = sha256(sent);
      // Compares all keys, each in constant time, so that the time reveals nothing.
      const [match] = keys.filter((key) => timingSafeEqual(key.digest, digest));
      if (match !== undefined) request.caller = { subject: match.subject, issuer: 'auth-apikey' };
    };
    const admit = (request) =>
      request.caller === undefined && request.access !== 'public' ? REFUSAL : undefined;
    scope.tap('onRequest', identify, STAGE.identify);
    scope.tap('onRequest', admit, STAGE.admit);
    scope.onReload((next) => {
      keys = readKeys(next.keys);
    });
  },
};
