import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { messageOf } from 'pegboard';
import { expect } from 'chai';
import { SettingsFile } from '../../../plugins/settings-file/settingsFile.ts';
import { asUnprivileged } from '../../support/asUnprivileged.ts';
import { makeDirectory } from '../../support/directory.ts';

/** As kubelet mounts a ConfigMap: files are links through `..data`, whose target is replaced with an update. */
function mountedConfigMap(): { readonly path: string; readonly file: string } {
  const { path } = makeDirectory({});
  mkdirSync(`${path}/..2026_11_24`);
  writeFileSync(`${path}/..2026_11_24/config.yaml`, 'namespace: tools\n');
  symlinkSync('..2026_11_24', `${path}/..data`);
  symlinkSync('..data/config.yaml', `${path}/config.yaml`);
  chmodSync(path, 0o755);
  chmodSync(`${path}/..2026_11_24`, 0o555);
  return { path, file: `${path}/config.yaml` };
}

describe('plugins/settings-file', () => {
  afterEach(() => {
    delete process.env['PEGBOARD_CONFIG_MAP'];
  });

  it('keeps comments, order and other keys', async () => {
    const { path } = makeDirectory({
      'config.yaml': '# ours\naggregator:\n  port: 8090 # open\nnamespace: a\n',
    });
    const store = new SettingsFile(() => path);
    expect(await store.merge('aggregator', { host: '::1' })).equal(`${path}/config.yaml`);
    expect(readFileSync(`${path}/config.yaml`, 'utf8')).equal(
      '# ours\naggregator:\n  port: 8090 # open\n  host: ::1\nnamespace: a\n',
    );
  });

  it('replaces keys that are still as they were, and keeps all else with its comments', async () => {
    const text = '# ours\nnamespace: a # kept\naccess:\n  - groups: [a] # of a\n    toolset: [x]\n';
    const { path } = makeDirectory({ 'config.yaml': text });
    const store = new SettingsFile(() => path);
    const access = [{ groups: ['a'], toolset: ['x'] }];
    const more = [...access, { groups: ['b'], toolset: ['y'] }];
    await store.replace({ access, toolsetPresets: undefined }, { access: more });
    expect(readFileSync(`${path}/config.yaml`, 'utf8')).equal(
      `${text}  - groups:\n      - b\n    toolset:\n      - y\n`,
    );
    const late = await store.replace({ access }, { access: undefined }).then(String, messageOf);
    expect(late).equal(
      `access in ${path}/config.yaml is not what it was when this change was begun; begin it anew`,
    );
    await store.replace({ access: more }, { access: undefined });
    expect(readFileSync(`${path}/config.yaml`, 'utf8')).equal('# ours\nnamespace: a # kept\n');
  });

  it('writes only over the text in force if that is given, and brings it back to the letter', async () => {
    const text = "# ours\nnamespace:   'a'\n";
    const { path } = makeDirectory({ 'config.yaml': text });
    const store = new SettingsFile(() => path);
    const pending = await store.replace({}, { access: [] }, 'namespace: a\n').then(String, messageOf);
    expect(pending).equal(
      `${path}/config.yaml has changes that are not in force; reload the configuration first`,
    );
    const replaced = await store.replace({}, { access: [] }, text);
    expect(readFileSync(replaced.path, 'utf8')).include('access: []');
    await replaced.undo();
    expect(readFileSync(replaced.path, 'utf8')).equal(text);
    writeFileSync(replaced.path, 'namespace: b\n');
    expect(await replaced.undo().then(String, messageOf)).include('was changed since');
    expect(readFileSync(replaced.path, 'utf8')).equal('namespace: b\n');
  });

  it('names the ConfigMap that config.yaml is mounted from, and changes nothing', async () => {
    const { path, file } = mountedConfigMap();
    const store = new SettingsFile(() => path);
    const refusal = (): Promise<string> =>
      asUnprivileged(() => store.merge('aggregator', { port: 8091 }).then(String, messageOf));
    expect(await refusal()).equal(
      `${file} is mounted from a ConfigMap and cannot be written; change it in the ConfigMap that is mounted there`,
    );
    process.env['PEGBOARD_CONFIG_MAP'] = 'pegboard';
    expect(await refusal()).include('change it in ConfigMap pegboard: kubectl edit configmap pegboard');
    expect(readFileSync(file, 'utf8')).equal('namespace: tools\n');
    chmodSync(`${path}/..2026_11_24`, 0o755);
  });
});
