import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { readYaml } from '../../../kernel/lib/readYaml.ts';
import { looksDuring } from '../../support/looks.ts';

function issuesOf(text: string): string[] {
  return readYaml(text, 'f.yaml').issues.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

describe('readYaml', () => {
  it('returns the value and the position of each part', () => {
    const source = readYaml('a: 1\nlist:\n  - x\n  - deep:\n      key: [1, 2]\n', 'f.yaml');
    expect(source.value).to.deep.equal({ a: 1, list: ['x', { deep: { key: [1, 2] } }] });
    expect(source.issues).to.deep.equal([]);
    expect(source.locate(['a'])).to.deep.equal({ file: 'f.yaml', line: 1, column: 1 });
    expect(source.locate(['list', 1])).to.deep.equal({ file: 'f.yaml', line: 4, column: 5 });
    expect(source.locate(['list', 1, 'deep', 'key'])).to.include({ line: 5, column: 7 });
    expect(source.locate(['list', 1, 'deep', 'key', 1])).to.include({ line: 5, column: 16 });
  });

  it('locates a missing path by its nearest parent', () => {
    const source = readYaml('a:\n  b: 1\n', 'f.yaml');
    expect(source.locate(['a', 'missing', 'deeper'])).to.include({ line: 1, column: 1 });
    expect(source.locate(['a', 'b', 'below a scalar'])).to.include({ line: 2, column: 3 });
    expect(source.locate([])).to.include({ line: 1 });
  });

  it('reads an empty text, a comment and a lone separator as empty', () => {
    for (const text of ['', '\n\n', '# only words\n', '---\n']) {
      const source = readYaml(text, 'f.yaml');
      expect(source.value ?? null).to.equal(null);
      expect(source.issues).to.deep.equal([]);
      expect(source.locate(['a'])).to.include({ file: 'f.yaml' });
    }
  });

  it('reports line and column of a syntax error, in one line', () => {
    const [issue] = readYaml('a: 1\nb: [1, 2\nc: 3\n', 'f.yaml').issues;
    expect(issue).to.include({ severity: 'error', code: 'CONFIG_UNREADABLE', file: 'f.yaml' });
    expect(issue?.line).within(2, 3);
    expect(issue?.message).not.to.contain('\n');
    expect(readYaml('a: [', 'f.yaml').value).to.equal(undefined);
  });

  it('tells what closes a bracket that is open', () => {
    expect(issuesOf('a: 1\nb: {x: 1\nc: 3\n')).includes(
      '3:1 { was opened, and is not closed up to here; write }',
    );
    expect(issuesOf('b: [1, 2\nc: 3\n').join()).include(
      '2:1 [ was opened, and is not closed up to here; write ]',
    );
  });

  it('refuses a duplicate key at the second occurrence', () => {
    const [text] = issuesOf('a: 1\nb: 2\na: 3\n');
    expect(text).to.match(/^3:1 .*unique/);
  });

  it('names every duplicate key, in block, flow and nested maps, in any spelling', () => {
    const text =
      'a: 1\n"a": 2\nm: {k: 1, l: 2, k: 3}\nlist:\n  - {x: 1, "x": 1}\n1: a\n"1": b\n~: c\nnull: d\n';
    const message = 'Map keys must be unique, and this one is there already; remove one of them';
    const places = ['2:1', '3:17', '5:12', '9:1'];
    expect(issuesOf(text)).to.deep.equal(places.map((place) => `${place} ${message}`));
    expect(readYaml(text, 'f.yaml').value).to.equal(undefined);
  });

  it('visits the keys of a wide map a few times, not once for each other key', async () => {
    const wide = (count: number, more = ''): string =>
      `${Array.from({ length: count }, (_, at) => `key_${at}: ${at}\n`).join('')}${more}`;
    expect(await looksDuring(() => readYaml(wide(3_000), 'f.yaml'))).to.be.below(100_000);
    expect(issuesOf(wide(3_000, 'key_7: 1\n'))).to.deep.equal([
      '3001:1 Map keys must be unique, and this one is there already; remove one of them',
    ]);
  });

  it('refuses more than 1,000 anchors and aliases where the limit is exceeded', () => {
    const pairs = (count: number): string =>
      Array.from({ length: count }, (_, at) => `- &a${at} x\n- *a${at}\n`).join('');
    expect(issuesOf(pairs(500))).to.deep.equal([]);
    const text = '1001:9 it has more than 1000 anchors and aliases; write the values out';
    expect(issuesOf(pairs(501))).to.deep.equal([text]);
    expect(issuesOf(pairs(20_000))).to.deep.equal([text]);
  });

  it('names the first hundred faults of a file that is wrong throughout', () => {
    expect(issuesOf('}\n'.repeat(5_000))).to.have.length(100);
    expect(issuesOf('a: 1\n'.repeat(5_000))).to.have.length(100);
  });

  it('reads no further than the beginning of a second document', () => {
    const text = `a: 1\n${'---\nb: {x: 1, x: 1}\n'.repeat(3)}`;
    expect(issuesOf(text)).to.deep.equal(['2:1 a second document begins here; use one file per definition']);
  });

  it('refuses a second document where it begins', () => {
    expect(issuesOf('a: 1\n---\nb: 2\n')).to.deep.equal([
      '2:1 a second document begins here; use one file per definition',
    ]);
  });

  it('names the place where nesting is too deep, at any depth', () => {
    const flow = (levels: number): string => `a: 1\nb: ${'['.repeat(levels)}${']'.repeat(levels)}\n`;
    const block = (levels: number): string =>
      Array.from({ length: levels }, (_, at) => `${' '.repeat(at)}a:\n`).join('');
    expect(issuesOf(flow(255))).to.deep.equal([]);
    const text = 'it is nested deeper than 256 levels; write it flatter';
    for (const levels of [300, 1_500, 20_000]) {
      const issues = issuesOf(flow(levels));
      expect(issues, String(levels)).to.have.length(1);
      expect(issues[0]).to.match(/^2:/).and.contain(text);
    }
    expect(readYaml(flow(300), 'f.yaml').value).to.equal(undefined);
    expect(issuesOf(block(300))).to.deep.equal([`256:256 ${text}`]);
    expect(issuesOf(block(2_000))).to.have.length(1);
  });

  it('refuses an alias bomb instead of unfolding it', () => {
    const rows = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let at = 1; at < 12; at += 1)
      rows.push(
        `a${at}: &a${at} [${Array(10)
          .fill(`*a${at - 1}`)
          .join(', ')}]`,
      );
    const { issues, value } = readYaml(rows.join('\n'), 'f.yaml');
    expect(value).to.equal(undefined);
    expect(issues).to.have.length(1);
    expect(issues[0]?.message).to.contain('alias');
  });

  it('names the line that is indented too far, once', () => {
    const text =
      'this line is indented as if it belonged to the one above; indent it like the keys beside it';
    expect(issuesOf('a:\n  host: x\n   port: 1\nb: 1\n')).to.deep.equal([`3:1 ${text}`]);
    expect(issuesOf('a:\n- x\n  b: 1\n')).to.deep.equal([`3:1 ${text}`]);
    expect(issuesOf('type: stdio\n command: [a]\n')).to.deep.equal([`2:1 ${text}`]);
  });

  describe('says in words what people write wrong', () => {
    const quotes = 'put the whole of it in quotes, or begin a new line with its key';
    const block =
      'a block of text begins in the line below | or >; a text that begins with one of them must be in quotes';
    const colon =
      'in this line a colon and a space are missing: write key: value, or put the text in quotes into the line of its key';
    const comma = 'between two items in { } or [ ] there is no comma, or a text with a colon has no quotes';
    for (const [mistake, [text, ...told]] of Object.entries<readonly [string, ...string[]]>({
      'a tab': ['a:\n\tb: 1\n', '2:1 a tab cannot indent; write spaces'],
      'a quote that is not closed': [
        'command: ["npx, -y]\ntype: stdio\n',
        '1:11 a quote is opened here and not closed; close it, and put a text with a quote in it into the other kind',
      ],
      'a key indented less': [
        'a:\n    b: 1\n  c: 2\n',
        '3:1 this line does not begin where the keys of its map begin; indent it like them',
      ],
      'an item indented less': [
        'a:\n  - x\n - y\n',
        '3:1 this item does not begin where those above it begin, or belongs to no list; indent it like them, or write its key above',
      ],
      'a key among items': [
        'steps:\n- id: a\n  tool: x\n tool: y\n',
        '4:1 this line is among the items of a list, but begins with no -; indent it like the keys of its item, or write - and a space before it',
      ],
      'a colon in a text': [
        'description: Files: read and write\ntype: stdio\n',
        '1:14 this text has a colon and a space in it; put it in quotes, or write what is below its key in lines of their own',
      ],
      'no colon': ['type stdio\ncommand: x\n', `1:1 ${colon}`],
      'no space after the colon': ['a:\n  b:c\n  d: e\n', `2:3 ${colon}`],
      'an address of a package': [
        'command: [npx, -y, @me/pkg]\n',
        '1:20 a text that begins with @, ` or % must be in quotes',
      ],
      'a star': ['includeTools:\n  - *\n', '2:5 a text that begins with * must be in quotes'],
      'a path of Windows': [
        'a: "C:\\Users\\x"\n',
        '1:7 in double quotes a \\ begins a special character; write \\\\, or put the text in single quotes',
      ],
      'words after a quote': ["a: 'it's'\n", `1:8 the value ended before this; ${quotes}`],
      'a template in a path': ['a: {{ .x }}/y\n', `1:12 the value ended before this; ${quotes}`],
      'a pipe and a text': ['a: | text\n', `1:6 ${block}`],
      'a comment without a space': [
        'a: [x]#c\n',
        '1:7 before a # that begins a comment a space is missing; a text with # in it must be in quotes',
      ],
      'no comma in braces': ['{"a": 1 "b": 2}\n', `1:7 ${comma}`],
      'no comma in brackets': ['a: ["x" "y"]\n', '1:9 before this a comma is missing'],
      'a bracket too many': [
        'a: [1]]\n',
        '1:7 there is no [ that this closes; remove it, or put the text in quotes',
      ],
      'a list in the line of its key': [
        'a: - x\n',
        '1:4 a list begins in the line below its key; or write it as [a, b]',
      ],
      'a key in one line with nothing': [
        'a: 1\nb\nc: 2\n',
        '2:1 after a key comes a colon, a space and its value; write them, or remove this line',
      ],
      'a conflict of git': [
        'a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> x\nc: 1\n',
        '2:1 git has left the mark of a conflict here; keep one of the two sides, without the marks',
      ],
      'several lines': [
        'a: `x`\nb: "x" y\nc: @z\n',
        '1:4 a text that begins with @, ` or % must be in quotes',
        `2:8 the value ended before this; ${quotes}`,
        '3:4 a text that begins with @, ` or % must be in quotes',
      ],
    }))
      it(mistake, () => expect(issuesOf(text)).to.deep.equal(told));
  });

  it('names an alias without an anchor above it at its own line', () => {
    const fix = 'put the text in quotes, or write &name before the value it refers to';
    expect(issuesOf('x: 1\ny:\n  - *a\nz: &a 1\n')).to.deep.equal([
      `3:5 a text that begins with * names an anchor, and there is none above it; ${fix}`,
    ]);
  });

  it('never quotes a text that is not YAML: it may be a secret that was not put in quotes', () => {
    const starts = ['*', '!h!', '!!', '|', '>', ']', '}', '@', '`', '%', '{', '[', ',', '- ', '"\\q'];
    const texts = [
      ...starts.map((start) => `${start}s3cret`),
      's3cret: x: y',
      '"a" s3cret',
      '!s3cret!',
      '*s3cret x',
    ];
    for (const text of texts) {
      const issues = issuesOf(`a:\n  password: ${text}\n`);
      expect(issues.join(), text).not.contain('s3cret');
      if (!text.startsWith('!!')) expect(issues, text).not.empty;
    }
  });

  it('unfolds honest aliases', () => {
    expect(readYaml('a: &x {k: 1}\nb: *x\n', 'f.yaml').value).to.deep.equal({ a: { k: 1 }, b: { k: 1 } });
  });

  it('keeps the words that YAML 1.1 read as booleans, and numbers as written', () => {
    expect(readYaml('a: yes\nb: on\nc: 10\nd: 1e3\n', 'f.yaml').value).to.deep.equal({
      a: 'yes',
      b: 'on',
      c: 10,
      d: 1000,
    });
  });

  it('refuses a number that other readers take for another one', () => {
    for (const number of ['010', '-007', '08'])
      expect(issuesOf(`a: ${number}\n`)).to.deep.equal([
        '1:4 other readers take 010 for 8; leave the zero out, write 0o10, or put a text in quotes',
      ]);
    expect(readYaml('a: 0o10\nb: 0.5\nc: 0\nd: "010"\ne: 0x1F\nf: -0.25\n', 'f.yaml').value).to.deep.equal({
      a: 8,
      b: 0.5,
      c: 0,
      d: '010',
      e: 31,
      f: -0.25,
    });
  });

  it('refuses a number that would change, and keeps every other', () => {
    for (const number of ['.inf', '-.Inf', '.nan', '12e4567'])
      expect(issuesOf(`a: ${number}\n`)).to.deep.equal([
        '1:4 this is not a number in JSON; put it in quotes if it is a text',
      ]);
    for (const number of [
      '9007199254740993',
      '12345678901234567890',
      '0.12345678901234567891',
      '0x20000000000001',
    ])
      expect(issuesOf(`a: ${number}\n`)).to.deep.equal([
        '1:4 this number has more digits than are kept; put it in quotes, or round it',
      ]);
    fc.assert(
      fc.property(
        fc.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true })),
        (any) => {
          const number = any || 0;
          const { value, issues } = readYaml(`a: ${number}\nb: ${number.toExponential()}\n`, 'f.yaml');
          expect(issues).to.deep.equal([]);
          expect(value).to.deep.equal({ a: number, b: number });
        },
      ),
    );
  });

  it('merges keys, as other readers do; those of the map itself win', () => {
    const text = 'a: &a {x: 1, y: 1}\nb: {<<: *a, y: 2}\nc:\n  <<: [*a, {z: 3}]\n';
    expect(readYaml(text, 'f.yaml').value).to.deep.equal({
      a: { x: 1, y: 1 },
      b: { x: 1, y: 2 },
      c: { x: 1, y: 1, z: 3 },
    });
  });

  it('refuses a key that is a map or a list: mostly a template that lacks its quotes', () => {
    const text =
      "a key must be a text, not a map or a list; if this is a template, put it in quotes: '{{ … }}'";
    expect(issuesOf('limit: {{ .input.x }}\n')).to.deep.equal([`1:9 ${text}`]);
    expect(issuesOf('a:\n  ? [b, c]\n  : 1\n')).to.deep.equal([`2:5 ${text}`]);
  });

  it('refuses tags of values that JSON has not, and reads those of values that it has', () => {
    for (const value of [
      '!!binary aGk=',
      '!!set {x, y}',
      '!!timestamp 2026-01-01',
      '!own x',
      '!!omap [a: 1]',
    ])
      expect(issuesOf(`a: ${value}\n`).join()).to.match(/its tag is not known here|Unresolved tag/);
    expect(readYaml('a: !!str 12\nb: !!int "7"\nc: !!map {d: 1}\n', 'f.yaml').value).to.deep.equal({
      a: '12',
      b: 7,
      c: { d: 1 },
    });
  });

  it('writes nothing on standard error of its own', async () => {
    const written: unknown[] = [];
    const note = (warning: unknown): void => void written.push(warning);
    process.on('warning', note);
    readYaml('limit: {{ .input.x }}\n', 'f.yaml');
    // Node reports a warning in the next turn.
    await turn();
    process.off('warning', note);
    expect(written).to.deep.equal([]);
  });

  it('leaves no trace on prototypes', () => {
    const { value } = readYaml(
      '__proto__: {polluted: true}\nconstructor: {prototype: {polluted: true}}\n',
      'f.yaml',
    );
    expect(({} as { polluted?: boolean }).polluted).to.equal(undefined);
    expect(Object.keys(value as object)).to.deep.equal(['__proto__', 'constructor']);
  });

  it('never throws, and returns a value, an issue or neither', () => {
    const chars = fc.constantFrom(...'ab:-[]{}&*!|>\'"%@`#?, \n\t\u0000\u00e9'.split(''));
    fc.assert(
      fc.property(fc.string({ unit: chars, maxLength: 40 }), (text) => {
        const source = readYaml(text, 'f.yaml');
        for (const { line, column } of source.issues) {
          expect(line).least(1);
          expect(column).least(1);
        }
        expect(source.locate(['a', 0, 'b'])).to.include({ file: 'f.yaml' });
        if (source.issues.length > 0) expect(source.value).to.equal(undefined);
      }),
      { numRuns: 500 },
    );
  });
});
