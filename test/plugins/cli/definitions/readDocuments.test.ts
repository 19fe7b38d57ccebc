import { expect } from 'chai';
import { readDocuments } from '../../../../plugins/cli/definitions/readDocuments.ts';

const TWO = `# first
apiVersion: pegboard.dev/v1alpha1
kind: MCPServer
metadata: { name: one, labels: { team: a } }
spec:
  type: stdio
  command: [node]
---
# second
name: flow
steps:
  - { id: a, tool: core_service_list }
...
`;

describe('Definitions in YAML text', () => {
  it('are read from several documents in both forms, with places in the file', () => {
    const [one, flow] = readDocuments(TWO, 'two.yaml');
    expect([one?.kind.word, one?.name, one?.labels, one?.spec]).deep.equal([
      ...['server', 'one', { team: 'a' }],
      { type: 'stdio', command: ['node'] },
    ]);
    expect([flow?.kind.word, flow?.name]).deep.equal(['workflow', 'flow']);
    expect(one?.place(['command', 0])).equal('two.yaml:7:13');
    expect(flow?.place(['steps', 0, 'tool'])).equal('two.yaml:12:14');
  });

  it('are read from the items of a List, with places in the file', () => {
    const list = `apiVersion: v1
kind: List
items:
  - { kind: MCPServer, metadata: { name: one }, spec: { url: http://x.test } }
  - { kind: Workflow, metadata: { name: flow }, spec: { steps: [] } }
`;
    const [one, flow, third] = readDocuments(`${list}---\n${TWO}`, 'list.yaml');
    expect([one, flow].map((document) => [document?.kind.word, document?.name])).deep.equal([
      ['server', 'one'],
      ['workflow', 'flow'],
    ]);
    expect(flow?.place(['steps'])).equal('list.yaml:5:57');
    expect(third?.place(['command', 0])).equal('list.yaml:13:13');
    expect(() => readDocuments(list.replace('name: flow', 'name: ""'), 'list.yaml')).throw('list.yaml:5:');
  });

  it('have the name of the file if they say none', () => {
    expect(readDocuments('url: http://x.test', '/tmp/a.yml')[0]).include({ name: 'a' });
    expect(() => readDocuments('url: http://x.test', '-')).throw('-:1:1: the definition has no name');
  });

  it('are refused with the line of each fault', () => {
    for (const [text, words] of [
      [TWO.replace('  command', '   command'), 'two.yaml:7:'],
      [
        TWO.replace('name: flow', 'kind: Flow'),
        'two.yaml:10:1: kind must be MCPServer, Workflow, ToolsetPreset or Access, not Flow',
      ],
      [TWO.replace('name: flow', 'name: "../x"'), 'two.yaml:10:1: the name "../x" is not allowed'],
      [TWO.replace('name: flow', 'name: flow\nname: b'), 'two.yaml:11:1: Map keys must be unique'],
      ['- a', 'two.yaml:1:1: a definition is a map'],
      ['', 'two.yaml holds no definition'],
      ['# only a comment\n---\n', 'two.yaml holds no definition'],
    ] as const)
      expect(() => readDocuments(text, 'two.yaml'), words).throw(words);
  });
});
