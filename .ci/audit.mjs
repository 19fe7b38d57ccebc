// Checks what the bundle contains (dist/sbom.cdx.json) against known advisories: those of the registry of npm, or with `--osv PATH` those
// in a file or folder of OSV JSON, without a network. Exits with 1 if one applies, with 2 if that cannot be found out.
/* global AbortSignal, fetch */
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const SBOM = fileURLToPath(new URL('../dist/sbom.cdx.json', import.meta.url));
const WAIT_MS = 30_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** The packages of a bill of materials: `{ name, version }`, as its package URLs have them. */
export function packagesIn(sbom) {
  const found = (sbom.components ?? []).map(({ purl = '' }) => /^pkg:npm\/(.+)@([^@?#]+)/.exec(purl));
  if (found.length === 0 || found.includes(null)) throw new Error('the bill of materials names no packages');
  return found.map(([, name, version]) => ({ name: decodeURIComponent(name), version }));
}

/** -1, 0 or 1, by https://semver.org/#spec-item-11; what is missing of a version counts as 0. */
export function compareVersions(one, other) {
  const [a, b] = [one, other].map((text) => {
    const [numbers, ...tags] = text.replace(/^v|\+.*$/g, '').split('-');
    return { numbers: numbers.split('.').map(Number), tags: tags.join('-') };
  });
  for (let at = 0; at < 3; at += 1) {
    const difference = Math.sign((a.numbers[at] ?? 0) - (b.numbers[at] ?? 0));
    if (difference !== 0) return difference;
  }
  if (a.tags === b.tags) return 0;
  if (a.tags === '' || b.tags === '') return a.tags === '' ? 1 : -1;
  const [own, others] = [a.tags.split('.'), b.tags.split('.')];
  for (let at = 0; at < Math.max(own.length, others.length); at += 1) {
    const [left, right] = [own[at], others[at]];
    if (left === right) continue;
    if (left === undefined || right === undefined) return left === undefined ? -1 : 1;
    const [isNumber, isOther] = [/^\d+$/.test(left), /^\d+$/.test(right)];
    if (isNumber && isOther) return Math.sign(Number(left) - Number(right));
    if (isNumber !== isOther) return isNumber ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return 0;
}

/** Whether a version is in a range as npm's advisories write them: `>=1.0.0 <1.2.3 || =2.0.0`. */
export function isInRange(version, range) {
  return range.split('||').some((part) => {
    const bounds = [...part.matchAll(/([<>]=?|=)?\s*v?(\d[^\s,]*|\*)/g)];
    const rest = bounds.reduce((text, [found]) => text.replace(found, ''), part);
    // A form that is not known here could hide a finding.
    if (bounds.length === 0 || !/^[\s,]*$/.test(rest)) throw new Error(`the range ${range} cannot be read`);
    return bounds.every(([, sign = '=', bound]) => {
      const order = bound === '*' ? 0 : compareVersions(version, bound);
      return (
        (order === 0 && sign !== '<' && sign !== '>') ||
        (order < 0 && /^</.test(sign)) ||
        (order > 0 && /^>/.test(sign))
      );
    });
  });
}

/** The finding of an advisory in OSV for a version. @returns undefined if it is not affected
 *  Source: https://ossf.github.io/osv-schema/#evaluation */
export function osvFinding(advisory, { name, version }) {
  if (advisory.withdrawn !== undefined) return undefined;
  for (const { package: of, ranges = [], versions = [] } of advisory.affected ?? []) {
    if (of?.ecosystem !== 'npm' || of.name !== name) continue;
    for (const { type, events = [] } of ranges.filter((one) => one.type !== 'GIT')) {
      if (type !== 'SEMVER' && type !== 'ECOSYSTEM')
        throw new Error(`${advisory.id} has a range of type ${type}`);
      const span = spanOf(events, version);
      if (span !== undefined) return { name, version, id: advisory.id, ...span };
    }
    if (versions.includes(version)) return { name, version, id: advisory.id, range: `=${version}` };
  }
  return undefined;
}

/** The part of a range in which a version is: from an `introduced` to the next `fixed`, or through the next `last_affected`. */
function spanOf(events, version) {
  const at = (event) => event.introduced ?? event.fixed ?? event.last_affected ?? event.limit ?? '0';
  const sorted = events.toSorted((one, other) => compareVersions(at(one), at(other)));
  let since;
  for (const event of sorted) {
    if (event.introduced !== undefined) since ??= event.introduced;
    else if (since !== undefined && event.limit === undefined) {
      const { fixed, last_affected: last } = event;
      const isBefore =
        fixed === undefined ? compareVersions(version, last) <= 0 : compareVersions(version, fixed) < 0;
      const range = fixed === undefined ? `>=${since} <=${last}` : `>=${since} <${fixed}`;
      if (isBefore && compareVersions(version, since) >= 0) return { range, ...(fixed && { fix: fixed }) };
      since = undefined;
    }
  }
  return since !== undefined && compareVersions(version, since) >= 0 ? { range: `>=${since}` } : undefined;
}

/** All advisories below a path, each file with one or a list of them. */
function osvBelow(path) {
  if (statSync(path).isDirectory())
    return readdirSync(path, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => osvBelow(join(path, name)));
  const value = JSON.parse(readFileSync(path, 'utf8'));
  const all = Array.isArray(value) ? value : (value.vulns ?? [value]);
  if (all.some((one) => typeof one?.id !== 'string' || !Array.isArray(one.affected ?? [])))
    throw new Error(`${path} holds something else than advisories in OSV`);
  return all;
}

function osvFindings(path, packages) {
  const advisories = osvBelow(path);
  // An empty folder would pass for a clean bundle.
  if (advisories.length === 0) throw new Error(`${path} holds no advisories`);
  return advisories.flatMap((one) => packages.flatMap((each) => osvFinding(one, each) ?? []));
}

/** Asks the registry as `npm audit` does. */
async function askRegistry(registry, packages) {
  const url = new URL(
    '-/npm/v1/security/advisories/bulk',
    registry.endsWith('/') ? registry : `${registry}/`,
  );
  const versions = {};
  for (const { name, version } of packages) (versions[name] ??= []).push(version);
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(versions),
    signal: AbortSignal.timeout(WAIT_MS),
  });
  if (!response.ok) throw new Error(`${url} answers with HTTP ${response.status}`);
  const text = await response.text();
  if (text.length > MAX_BYTES) throw new Error(`${url} answers with more than ${MAX_BYTES} bytes`);
  const found = JSON.parse(text);
  return packages.flatMap(({ name, version }) =>
    (Object.hasOwn(found, name) ? found[name] : [])
      .filter(({ vulnerable_versions: range }) => isInRange(version, range))
      .map(({ vulnerable_versions: range, url: about, id, title }) => {
        const fix = /<(\d[^\s|]*)\s*$/.exec(range)?.[1];
        return {
          name,
          version,
          range,
          id: /GHSA-[\w-]+/.exec(about ?? '')?.[0] ?? String(id),
          title,
          ...(fix && { fix }),
        };
      }),
  );
}

function lineOf({ name, version, range, id, title, fix }) {
  const about = title === undefined ? '' : ` ${title.replaceAll(/[^ -~]/g, '').slice(0, 200)}`;
  return `${name} ${version} is affected by ${id} (${range})${about}; ${fix === undefined ? 'no fix is known' : `fixed in ${fix}`}`;
}

async function main() {
  const { values } = parseArgs({
    options: {
      osv: { type: 'string' },
      sbom: { type: 'string', default: SBOM },
      registry: { type: 'string' },
    },
  });
  const packages = packagesIn(JSON.parse(readFileSync(values.sbom, 'utf8')));
  const registry = () =>
    values.registry ?? execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  const findings =
    values.osv === undefined ? await askRegistry(registry(), packages) : osvFindings(values.osv, packages);
  for (const finding of findings) console.log(lineOf(finding));
  console.log(`${packages.length} packages checked, ${findings.length} findings`);
  process.exitCode = findings.length > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await main().catch((error) => {
    console.error(
      `the packages cannot be checked: ${error.message}; advisories in files are read with --osv PATH`,
    );
    process.exitCode = 2;
  });
