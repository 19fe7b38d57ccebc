import { expect } from 'chai';
import { SURFACES } from '../../../../plugins/kit/faults/action.ts';
import type { Action } from '../../../../plugins/kit/faults/action.ts';
import { helpedBy, remedyOf, remedyWords } from '../../../../plugins/kit/faults/remedy.ts';
import type { ErrorCode } from '../../../../kernel/index.ts';
import { declaredIn } from '../../../support/declared.ts';
import { sourcesBelow, textOf } from '../../../support/sources.ts';

const WORKFLOW = { kind: 'workflow', name: 'w' } as const;
/** An action with which the sources throw each code. */
const WITH: Partial<Readonly<Record<ErrorCode, Action>>> = {
  CONFIG_INVALID: { do: 'mend', server: 's' },
  CONFIG_REFERENCE: { do: 'say', what: 'set it and restart Pegboard' },
  PROMPT_NOT_FOUND: { do: 'list', kind: 'prompts' },
  RESOURCE_NOT_FOUND: { do: 'list', kind: 'resources' },
  SERVICE_NOT_FOUND: { do: 'list', kind: 'services' },
  SERVICE_RUNNING: { do: 'stop', server: 's' },
  STORE_CONFLICT: { do: 'change', ...WORKFLOW },
  STORE_NOT_FOUND: { do: 'list', kind: 'servers' },
  TOOL_ARGUMENTS: { do: 'list', kind: 'servers' },
  TOOL_NOT_FOUND: { do: 'find', query: 'read file' },
  UPSTREAM_AUTH_REQUIRED: { do: 'signIn', server: 's' },
  UPSTREAM_ERROR: { do: 'edit', server: 's', what: 'correct url' },
  UPSTREAM_PROTOCOL: { do: 'edit', server: 's', what: 'correct url' },
  UPSTREAM_SUSPENDED: { do: 'start', server: 's' },
  UPSTREAM_TASK_ONLY: { do: 'find', other: true },
  UPSTREAM_UNREACHABLE: { do: 'reach', server: 's' },
  WORKFLOW_UNAVAILABLE: { do: 'explain', ...WORKFLOW },
  WORKFLOW_WRITER: { do: 'say', what: 'an operator takes the workflow over by changing it' },
};
/** Why the others have none. */
const WITHOUT: Readonly<Record<string, readonly string[]>> = {
  'the message says at which place of a file or a caller’s request what is wrong': [
    ...['CONFIG_UNREADABLE', 'TOOL_TOOLSET_INVALID'],
    ...['REQUEST_FORBIDDEN', 'REQUEST_MALFORMED', 'REQUEST_MEDIA_TYPE', 'REQUEST_METHOD'],
    ...['REQUEST_NOT_ACCEPTABLE', 'REQUEST_NOT_FOUND', 'REQUEST_TIMEOUT', 'REQUEST_TOO_LARGE'],
    ...[
      'PIN_OUTDATED',
      'REQUEST_UNAUTHENTICATED',
      'TOOL_KEY_REUSED',
      'TOOL_RESULT_GONE',
      'SERVICE_UNSUPPORTED',
    ],
  ],
  'trying again is what helps, and the message says when': [
    ...['LIMIT_EXCEEDED', 'MEMORY_FULL', 'PLUGIN_STOPPED', 'STORE_UNREACHABLE', 'TOOL_KEY_BUSY'],
    ...['UPSTREAM_CLOSED', 'UPSTREAM_FULL', 'UPSTREAM_TIMEOUT', 'WORKFLOW_BUSY'],
  ],
  'who configures or writes plugins reads it, in the log or on standard error': [
    ...['PLUGIN_CONTRACT', 'PLUGIN_IMPORT', 'PLUGIN_MISSING', 'PLUGIN_START', 'PLUGIN_TAP', 'TOOL_DUPLICATE'],
  ],
  'the rights of the caller end there; an operator who wants that otherwise is told by Explain': [
    ...['STORE_AUDIENCE', 'STORE_FORBIDDEN', 'TOOL_DENIED', 'TOOL_FORBIDDEN', 'TOOL_OUTSIDE_TOOLSET'],
    ...['TOOL_PIN_BLOCKED', 'TOOL_PIN_HELD'],
  ],
  'only the caller knows what has become of it': ['TOOL_CANCELLED', 'TOOL_OUTCOME_UNKNOWN'],
};

const SOURCES = sourcesBelow('plugins');
const CODES = [
  ...declaredIn('kernel/contracts/errorCodes.ts', 'ErrorCodes').keys(),
  ...SOURCES.flatMap((path) => [...declaredIn(path, 'ErrorCodes').keys()]),
];
/** The language of each surface; a command of the shell that only there helps may be named on a page or in a status. */
const AGENT = /\b(?:core_[a-z]|call_tool|(?:filter|list|describe)_tools?\b)/;
const KUBECTL = /\bkubectl\b|\bspec\.|MCPServer/;
const SHELL = /\bpegboard (?:start|stop|restart|edit|get|list|doctor|call|check|add)\b|next: /;
const FOREIGN = {
  agent: [KUBECTL, SHELL],
  shell: [KUBECTL, AGENT],
  page: [KUBECTL, AGENT, SHELL],
  status: [AGENT, SHELL],
} as const;

/** Lines that people read on a page, in a shell or in a log, and the words of agents in them that are meant. */
const MEANT: Readonly<Record<string, string>> = {
  'pegboard call core_': 'a command that a shell takes as it stands',
  "startsWith('call_tool ')": 'the line of an agent that is taken out',
  'links of core_auth_login name': 'says which links a setting concerns',
  'by core_mcpserver_create: plugins.operators': 'says what others could do',
};
const PEOPLES = /^plugins\/(?:admin|cli|http|kit\/pages|[^/]+\/pages)\/|\bhtml`|configFindings\.ts$/;
/** A name of a tool that is more than the whole of a text: a program calls a tool by its name alone. */
const IN_PROSE =
  /(?<!['`\w])(?:core_[a-z_]+[a-z]|call_tool|(?:filter|list|describe)_tools?)\b|\b(?:core_[a-z_]+[a-z]|call_tool|(?:filter|list|describe)_tools?)\b(?!['`\w])/;

describe('what helps against each error code', () => {
  it('is known, or there is a reason why not', () => {
    const known = [...Object.keys(WITH), ...Object.values(WITHOUT).flat()];
    expect([...known].sort()).deep.equal([...CODES].sort());
  });

  it('is data at every code that is thrown with an action', () => {
    const text = SOURCES.map(textOf).join('\n');
    const calls = [...text.matchAll(/(?:helpedBy|unknownName)\(((?:[^()]|\([^()]*\))*)\)/g)].map(
      ([, args = '']) => args,
    );
    const thrown = calls.flatMap((args) => args.match(/(?<=')[A-Z]+_[A-Z_]+(?=')/g) ?? []);
    expect(thrown).not.empty;
    expect(thrown.filter((code) => !Object.hasOwn(WITH, code))).deep.equal([]);
  });

  for (const [code, action] of Object.entries(WITH))
    for (const surface of SURFACES)
      it(`${code} is worded for ${surface === 'agent' ? 'an agent' : `a ${surface}`} in its own language`, () => {
        const remedy = remedyOf(helpedBy(action, code as ErrorCode, 'it is away'));
        expect(remedy).deep.equal({ cause: 'it is away', action });
        const words = remedyWords(remedy ?? { cause: '', action }, surface);
        expect(words).match(/^it is away; \S/);
        for (const foreign of FOREIGN[surface]) expect(words).not.match(foreign);
      });

  it('names no tool of agents in the text of an error itself', () => {
    const text = SOURCES.map(textOf).join('\n');
    const messages = [...text.matchAll(/new GatewayError\(((?:[^()]|\([^()]*\))*)\)/g)].map(([all]) => all);
    expect(messages).not.empty;
    expect(messages.filter((message) => AGENT.test(message))).deep.equal([]);
  });

  it('tells no person, on a page, in a shell or in a log, to call a tool of agents', () => {
    const read = SOURCES.filter((path) => PEOPLES.test(path) || PEOPLES.test(textOf(path)));
    expect(read.length).above(100);
    const lines = read.flatMap((path) => {
      const code = textOf(path).replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
      return code.split('\n').flatMap((line) => (IN_PROSE.test(line) ? [`${path}: ${line.trim()}`] : []));
    });
    expect(lines.filter((line) => !Object.keys(MEANT).some((meant) => line.includes(meant)))).deep.equal([]);
    for (const meant of Object.keys(MEANT))
      expect(
        lines.some((line) => line.includes(meant)),
        meant,
      ).equal(true);
  });
});
