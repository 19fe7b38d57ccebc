import { execFile } from 'node:child_process';
import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { Failure } from '../text/failure.ts';
import type { FoundPackage } from './foundPackage.ts';
import { jsonOf, registryRequest } from './registryRequest.ts';
import type { Asking } from './registryRequest.ts';

const PUBLIC = 'https://registry.npmjs.org/';
const PUBLIC_HOST = 'registry.npmjs.org';
const EXACT = /^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/;
const CONFIG_MS = 20_000;
/** More than one is rare. */
const MAX_SIGNATURES = 16;

/** A package of npm. @param wanted a version or a tag; absent: `latest` @throws Failure */
export async function npmFound(name: string, wanted = 'latest', asking: Asking): Promise<FoundPackage> {
  const registry = await registryOf(name, asking.env);
  const url = new URL(name.replace('/', '%2f'), registry).href;
  const what = `npm package ${name}`;
  const all = await jsonOf(await registryRequest(url, { ...asking, what, accept: 'application/json' }), url);
  const [versions, tags, time] = [
    objectAt(all, 'versions'),
    objectAt(all, 'dist-tags'),
    objectAt(all, 'time'),
  ];
  const version = Object.hasOwn(versions, wanted) ? wanted : textAt(tags, wanted);
  if (version === undefined || !isObject(versions[version]))
    throw new Failure(`npm package ${name} has no version ${wanted}; name an exact one`);
  // It is written into the command.
  if (!EXACT.test(version))
    throw new Failure(`the registry has a version of ${name} that is not an exact one; name another`);
  const one = versions[version];
  const dist = objectAt(one, 'dist');
  const integrity = /sha512-[A-Za-z0-9+/]{86}==/.exec(textAt(dist, 'integrity') ?? '')?.[0];
  const tarball = textAt(dist, 'tarball');
  if (integrity === undefined || tarball === undefined)
    throw new Failure(`the registry has no SHA-512 of ${name} ${version}, so it cannot be pinned`);
  const { _npmUser: user, maintainers } = one as { _npmUser?: unknown; maintainers?: unknown };
  const people = [user, ...[maintainers ?? all['maintainers'] ?? []].flat()].flatMap((person) =>
    isObject(person) && typeof person['name'] === 'string' ? [person['name']] : [],
  );
  const deprecated = textAt(one, 'deprecated');
  return {
    source: { registry: 'npm', name, version, integrity },
    newest: textAt(tags, 'latest'),
    publishedAt: textAt(time, version),
    publisher: people.length === 0 ? undefined : [...new Set(people)].slice(0, 5).join(', '),
    ...(deprecated !== undefined && { warning: `deprecated: ${deprecated}` }),
    npm: {
      registry,
      integrity: textAt(dist, 'integrity') ?? '',
      hasStatements: isObject(dist['attestations']),
      signatures: [dist['signatures'] ?? []].flat().slice(0, MAX_SIGNATURES),
    },
    saidBy: url,
    archive: atRegistry(tarball, registry),
  };
}

/** As npm reads it: from its own settings, and per scope. */
async function registryOf(name: string, env: Asking['env']): Promise<string> {
  const scope = name.startsWith('@') ? `${name.split('/', 1)[0] ?? ''}:registry` : undefined;
  const own = env['npm_config_registry'] ?? env['NPM_CONFIG_REGISTRY'];
  const found = scope === undefined && own !== undefined ? [own] : await settings(scope, env);
  const address = found.find((one) => /^https?:/.test(one)) ?? PUBLIC;
  return address.endsWith('/') ? address : `${address}/`;
}

/** The registry of the scope and the one of all; none where npm is not installed. */
function settings(scope: string | undefined, env: Asking['env']): Promise<readonly string[]> {
  const keys = [...(scope === undefined ? [] : [scope]), 'registry'];
  return new Promise((resolve) => {
    const options = { env: { ...env }, timeout: CONFIG_MS };
    execFile('npm', ['config', 'get', ...keys], options, (error, stdout) => {
      const lines = error === null ? stdout.split('\n') : [];
      resolve(lines.map((line) => line.replace(/^[^=]*registry=/, '').trim()));
    });
  });
}

/** Registries that stand for the public one leave its host in the addresses of archives; npm replaces it, too. */
function atRegistry(tarball: string, registry: string): string {
  if (!URL.canParse(tarball) || new URL(tarball).host !== PUBLIC_HOST) return tarball;
  const { pathname } = new URL(tarball);
  return new URL(pathname.slice(1), registry).href;
}

function objectAt(value: JsonObject, key: string): JsonObject {
  const found = value[key];
  return isObject(found) ? found : {};
}

function textAt(value: JsonObject, key: string): string | undefined {
  const found = Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof found === 'string' ? found : undefined;
}
