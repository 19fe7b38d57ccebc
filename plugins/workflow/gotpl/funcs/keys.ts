import { createCipheriv, createDecipheriv, createHmac, generateKeyPairSync, scryptSync } from 'node:crypto';
import { fromBytes, toBytes } from '../bytes.ts';
import type { Env } from '../env.ts';
import { CallError } from '../errors.ts';
import { func } from '../signature.ts';
import type { FuncTable, GoFunc, ParamKind } from '../signature.ts';
import { CHARACTERS, TEMPLATES } from './passwordTemplates.ts';
import { decodeBase64 } from './base64.ts';
import { randomBytes } from './random.ts';

const AES_BLOCK = 16;
const MAX_BCRYPT_BYTES = 72;

/** Password and key functions; policy denies them unless they are allowed by name. */
export const KEYS: FuncTable = {
  derivePassword: func(
    ['uint32', 'string', 'string', 'string', 'string'],
    (env, counter, type, password, user, site) =>
      derivePassword({ counter, type, password, user, site }, env),
  ),
  encryptAES: func(['string', 'string'], (env, password, text) => encrypt(password, text, env)),
  decryptAES: func(['string', 'string'], (_env, password, text) => decrypt(password, text)),
  bcrypt: func(['string'], (_env, password) => bcrypt(password)),
  htpasswd: func(['string', 'string'], (_env, user, password) =>
    user.includes(':') ? `invalid username: ${user}` : `${user}:${bcrypt(password)}`,
  ),
  genPrivateKey: func(['string'], (env, type) => privateKey(type, env)),
  genCA: unavailable(['string', 'int']),
  genCAWithKey: unavailable(['string', 'int', 'string']),
  genSelfSignedCert: unavailable(['string', 'list', 'list', 'int']),
  genSelfSignedCertWithKey: unavailable(['string', 'list', 'list', 'int', 'string']),
  genSignedCert: unavailable(['string', 'list', 'list', 'int', 'certificate']),
  genSignedCertWithKey: unavailable(['string', 'list', 'list', 'int', 'certificate', 'string']),
  buildCustomCert: unavailable(['string', 'string']),
};

function unavailable(params: readonly ParamKind[]): GoFunc {
  return func(params, () => {
    throw new CallError('certificates are not available', 'policy');
  });
}

interface PasswordRequest {
  readonly counter: number;
  readonly type: string;
  readonly password: string;
  readonly user: string;
  readonly site: string;
}

const SEED = 'com.lyndir.masterpassword';
const SCRYPT = { N: 32_768, r: 8, p: 2, maxmem: 128 * 1024 * 1024 };

function derivePassword({ counter, type, password, user, site }: PasswordRequest, env: Env): string {
  env.checkTime();
  const templates = TEMPLATES.get(type);
  if (!templates) return `cannot find password template ${type}`;
  const salt = Buffer.concat([toBytes(SEED), uint32(toBytes(user).length), toBytes(user)]);
  const key = scryptSync(toBytes(password), salt, 64, SCRYPT);
  const message = Buffer.concat([
    toBytes(SEED),
    uint32(toBytes(site).length),
    toBytes(site),
    uint32(counter),
  ]);
  const seed = createHmac('sha256', key).update(message).digest();
  const template = templates[(seed[0] ?? 0) % templates.length] ?? '';
  return Array.from(template, (kind, i) => {
    const characters = CHARACTERS.get(kind) ?? '';
    return characters[(seed[i + 1] ?? 0) % characters.length] ?? '';
  }).join('');
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function aesKey(password: string): Buffer {
  const key = Buffer.alloc(32);
  toBytes(password).copy(key);
  return key;
}

function encrypt(password: string, text: string, env: Env): string {
  if (text === '') return '';
  env.checkString(text.length * 2);
  const iv = randomBytes(AES_BLOCK, env);
  const cipher = createCipheriv('aes-256-cbc', aesKey(password), iv);
  return Buffer.concat([iv, cipher.update(toBytes(text)), cipher.final()]).toString('base64');
}

function decrypt(password: string, text: string): string {
  if (text === '') return '';
  const bytes = Buffer.from(decodeBase64(text));
  if (bytes.length < AES_BLOCK) {
    throw new CallError(
      `runtime error: slice bounds out of range [:${AES_BLOCK}] with capacity ${bytes.length}`,
    );
  }
  const body = bytes.subarray(AES_BLOCK);
  if (body.length % AES_BLOCK !== 0) throw new CallError('crypto/cipher: input not full blocks');
  const cipher = createDecipheriv(
    'aes-256-cbc',
    aesKey(password),
    bytes.subarray(0, AES_BLOCK),
  ).setAutoPadding(false);
  const plain = Buffer.concat([cipher.update(body), cipher.final()]);
  if (plain.length === 0) throw new CallError('runtime error: index out of range [-1]');
  const end = plain.length - (plain.at(-1) ?? 0);
  if (end < 0) throw new CallError(`runtime error: slice bounds out of range [:${end}]`);
  return fromBytes(plain.subarray(0, end));
}

function bcrypt(password: string): string {
  if (toBytes(password).length > MAX_BCRYPT_BYTES) {
    return 'failed to encrypt string with bcrypt: bcrypt: password length exceeds 72 bytes';
  }
  throw new CallError('bcrypt is not available', 'policy');
}

function privateKey(type: string, env: Env): string {
  env.checkTime();
  switch (type) {
    case '':
    case 'rsa':
      return pem(
        generateKeyPairSync('rsa', { modulusLength: 4096 }).privateKey.export({
          type: 'pkcs1',
          format: 'pem',
        }),
      );
    case 'ecdsa':
      return pem(
        generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'sec1', format: 'pem' }),
      );
    case 'ed25519':
      return pem(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
    case 'dsa':
      throw new CallError('dsa keys are not available', 'policy');
    default:
      return `Unknown type ${type}`;
  }
}

function pem(text: string | Buffer): string {
  return text.toString();
}
