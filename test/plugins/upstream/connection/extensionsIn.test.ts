import { expect } from 'chai';
import { extensionsIn } from '../../../../plugins/upstream/connection/extensionsIn.ts';
import { Rig, told } from '../support.ts';

const same = (text: string): string => text;

describe('upstream: extensionsIn', () => {
  it('names each extension with the reason for which it is not relayed', () => {
    const extensions = {
      'io.modelcontextprotocol/tasks': {},
      'io.modelcontextprotocol/ui': {},
      'io.modelcontextprotocol/skills': {},
      'example.com/x': { deep: 1 },
    };
    const found = extensionsIn({ tasks: { list: {} }, extensions }, same);
    expect(found.map(({ name }) => name)).deep.equal(['tasks', ...Object.keys(extensions)]);
    const words = [/no tasks/, /no tasks/, /pages are resources/, /files of skills/, /adds to _meta passes/];
    found.forEach((one, at) => expect(one).include({ relayed: false }).property('reason').match(words[at]!));
  });

  it('returns nothing for a server without any, or with something else under those names', () => {
    for (const capabilities of [
      {},
      { tasks: true, extensions: null },
      { extensions: [] },
      { extensions: 'a' },
    ])
      expect(extensionsIn(capabilities, same), JSON.stringify(capabilities)).deep.equal([]);
  });

  it('bounds their number and the length of a name', () => {
    const many = Array.from({ length: 50 }, (_, at) => [`example.com/${at}${'x'.repeat(500)}`, {}]);
    const found = extensionsIn({ extensions: Object.fromEntries(many) as object }, same);
    expect(found).length(20);
    for (const { name } of found) expect(name).length(100);
  });
});

describe('upstream: extensions of servers', () => {
  let rig: Rig;
  beforeEach(() => (rig = new Rig()));
  afterEach(() => rig.stop());

  it('are in the status of their server, cleaned like all of its own words', async () => {
    await rig.configure();
    const lists = { 'tools/list': { tools: [{ name: 'one', inputSchema: { type: 'object' } }] } };
    const capabilities = { tools: {}, extensions: { 'example.com/\u202ex': {}, 'example.com/$TOKEN': {} } };
    const initialize = { capabilities };
    await rig.define({
      plain: told(lists),
      more: told({ ...lists, initialize }, { env: { TOKEN: 's3cret-value-of-twenty-chars' } }),
    });
    await rig.hasTool('x_plain_one');
    await rig.hasTool('x_more_one');
    const { extensions } = rig.status('more').metadata as { extensions: readonly { name: string }[] };
    expect(extensions.map(({ name }) => name)).deep.equal(['example.com/x', 'example.com/[redacted]']);
    expect(rig.status('plain').metadata).not.have.property('extensions');
  });
});
