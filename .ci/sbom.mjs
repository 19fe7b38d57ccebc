// The bill of materials of the bundle in CycloneDX 1.6: https://cyclonedx.org/docs/1.6/json/. The same packages give the same bytes.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** @param folders of the packages, below node_modules of `root` */
export function sbomOf(root, folders) {
  const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
  const own = read(join(root, 'package.json'));
  const { packages } = read(join(root, 'package-lock.json'));
  const components = [...folders]
    .map((folder) =>
      componentOf(read(join(folder, 'package.json')), packages[relative(root, folder).split(sep).join('/')]),
    )
    .sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1));
  const ref = purlOf(own);
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        'bom-ref': ref,
        type: 'application',
        name: own.name,
        version: own.version,
        purl: ref,
        licenses: [{ expression: own.license }],
      },
    },
    components,
    dependencies: [{ ref, dependsOn: components.map((component) => component['bom-ref']) }],
  };
  const digest = createHash('sha256').update(JSON.stringify(bom)).digest('hex');
  // A UUID of version 8, made of the content, so that two builds do not differ.
  const uuid = `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-a${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
  return `${JSON.stringify({ ...bom, serialNumber: `urn:uuid:${uuid}` }, undefined, 1)}\n`;
}

/** @param locked absent for what is not from a registry, a workspace */
function componentOf({ name, version, license }, locked) {
  const ref = purlOf({ name, version });
  const [algorithm, digest] = (locked?.integrity ?? '').split(' ', 1)[0].split('-', 2);
  const content = digest && Buffer.from(digest, 'base64').toString('hex');
  return {
    'bom-ref': ref,
    type: 'library',
    name,
    version,
    purl: ref,
    ...(license && { licenses: [{ expression: license }] }),
    ...(algorithm === 'sha512' && { hashes: [{ alg: 'SHA-512', content }] }),
  };
}

/** https://github.com/package-url/purl-spec */
function purlOf({ name, version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}
