import { expect } from 'chai';
import fc from 'fast-check';
import { parse, stringify } from 'yaml';
import { looksDuring } from '../../../support/looks.ts';
import { editYaml } from '../../../../plugins/kit/files/editYaml.ts';

const TEXT = `# what this is for
apiVersion: pegboard.dev/v1alpha1
kind: MCPServer
metadata:
  name: files # the name
spec:
  # how it runs
  type: stdio
  command: [npx, -y, 'server'] # three words
  env:
    # the key
    KEY: "one"   # quoted
    OTHER: two
  args:
  - first
  - second # the second
  timeout: 30
`;

describe('plugins/store-file: editing', () => {
  const spec = (parse(TEXT) as { spec: Record<string, unknown> }).spec;

  it('changes only the line of the field that changes', async () => {
    const edited = await editYaml(TEXT, ['spec'], { ...spec, timeout: 5 });
    expect(edited).to.equal(TEXT.replace('timeout: 30', 'timeout: 5').replace('"one"   #', '"one" #'));
  });

  it('keeps an indentation of four', async () => {
    const text = 'spec:\n    env:\n        A: one\n    timeout: 3\n';
    expect(await editYaml(text, ['spec'], { env: { A: 'one' }, timeout: 4 })).to.equal(
      text.replace('3', '4'),
    );
  });

  it('keeps comments and order when fields are added and removed', async () => {
    const rest = Object.fromEntries(Object.entries(spec).filter(([key]) => key !== 'args'));
    const edited = await editYaml(TEXT, ['spec'], {
      ...rest,
      env: { KEY: 'changed', NEW: 'x' },
      description: 'new',
    });
    expect(edited).to.contain('# what this is for').and.contain('# how it runs').and.contain('# the key');
    expect(edited).to.contain('KEY: "changed" # quoted').and.contain("[npx, -y, 'server'] # three words");
    expect(Object.keys((parse(edited) as { spec: object }).spec)).to.deep.equal([
      'type',
      'command',
      'env',
      'timeout',
      'description',
    ]);
  });

  it('leaves keys beside the spec of a flat file alone', async () => {
    const edited = await editYaml('name: x # mine\ntype: stdio\n', [], { type: 'sse' }, ['name']);
    expect(edited).to.equal('name: x # mine\ntype: sse\n');
  });

  it('does not change another place through a shared anchor', async () => {
    const text = 'spec:\n  env: &shared\n    A: one\n  headers: *shared\n';
    const wanted = { env: { A: 'two' }, headers: { A: 'one' } };
    expect((parse(await editYaml(text, ['spec'], wanted)) as { spec: unknown }).spec).to.deep.equal(wanted);
  });

  it('keeps a comment on a line of its own, and accepts empty sections and texts', async () => {
    expect(await editYaml('# only this\n', ['aggregator'], { port: 1 })).to.equal(
      '# only this\n\naggregator:\n  port: 1\n',
    );
    expect(parse(await editYaml('', ['aggregator'], { port: 1 }))).to.deep.equal({ aggregator: { port: 1 } });
    expect(parse(await editYaml('a: 1\naggregator:\n', ['aggregator'], { port: 1 }))).to.deep.equal({
      a: 1,
      aggregator: { port: 1 },
    });
  });

  it('always reads back as the wanted value, whatever the text contained before', async () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('true', 'null', '1', '0x1F', '# a', '- b', 'a: b', ' x ', 'é\n\n', '<<', '*a', '&a'),
    );
    const leaf = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null));
    const value = fc.letrec((tie) => ({
      node: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie('node'), { maxLength: 3 }), tie('map')),
      map: fc.dictionary(fc.oneof(text, fc.constantFrom('a', 'b', 'c')), tie('node'), {
        maxKeys: 4,
        noNullPrototype: true,
      }),
    })).map;
    await fc.assert(
      fc.asyncProperty(value, value, async (before, after) => {
        const whole = stringify({ keep: 'this', spec: before });
        const edited = parse(await editYaml(whole, ['spec'], after)) as unknown;
        expect(edited).to.deep.equal({ keep: 'this', spec: after });
      }),
      { numRuns: 300 },
    );
  });

  it('visits each key of a wide map a few times, for any change', async () => {
    const keys = Array.from({ length: 2_000 }, (_, at) => `key_${at}`);
    const env = Object.fromEntries(keys.map((key) => [key, 'one']));
    const text = stringify({ spec: { env } });
    const edits = [
      { ...env, key_7: 'two' },
      Object.fromEntries(keys.map((key) => [key, 'two'])),
      Object.fromEntries(keys.map((key) => [`new_${key}`, 'one'])),
      Object.fromEntries(keys.slice(1_000).map((key) => [key, 'one'])),
    ];
    for (const wanted of edits) {
      let edited = '';
      const looks = await looksDuring(async () => {
        edited = await editYaml(text, ['spec'], { env: wanted });
      });
      expect(parse(edited)).to.deep.equal({ spec: { env: wanted } });
      expect(looks).to.be.below(300_000);
    }
  });
});
