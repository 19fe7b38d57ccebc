import { expect } from 'chai';
import { review } from '../../support/reviewed.ts';
import { authorityTaken } from '../../../plugins/kit/authority/authority.ts';
import { FOR_OPERATORS } from '../../../plugins/operators/stepFindings.ts';
import { bootGateway, composeGateway } from '../../support/gateway.ts';

const SIGN_IN = `
aggregator:
  oauth:
    server:
      enabled: true
      baseUrl: https://gateway.example.com
      idp: { issuerUrl: https://login.example.com, clientId: pegboard, clientSecretFile: secret.txt }
`;
const WORKFLOW = `
name: grow
steps:
  - id: look
    tool: core_mcpserver_list
  - id: make
    tool: core_mcpserver_create
    args: { name: a, type: stdio, command: [id], tool: core_config_save }
`;

describe('operators: workflows that do what is for operators', () => {
  const found = async (config: string): Promise<readonly string[]> => {
    const { pipeline } = await composeGateway({
      builtIns: 'all',
      files: {
        'config.yaml': config,
        'secret.txt': 'S\n',
        'workflows/grow.yaml': WORKFLOW,
        'state/.keep': '',
      },
    });
    const issues = await pipeline.check((configured) => review(configured, { isOnline: false }));
    return issues.map(({ line, severity, message }) => `${line} ${severity} ${message}`);
  };

  it('are found if people sign in, at the line of the step', async () => {
    const [first, ...others] = await found(SIGN_IN);
    expect(others).deep.equal([]);
    expect(first).match(
      /^7 warning .*core_mcpserver_create is for operators, and every caller of workflow_grow/,
    );
  });

  it('are the own business of a person alone', async () => {
    expect(await found('')).deep.equal([]);
  });

  it('are known by the tools of which each is for operators, and by no other', async () => {
    const { kernel } = await bootGateway({
      builtIns: 'all',
      files: { 'config.yaml': 'aggregator: { port: 0 }\nplugins: { audit: {} }\n', 'state/.keep': '' },
    });
    const core = kernel.catalogue.owned.map(({ tool }) => tool).filter(({ kind }) => kind === 'core');
    const forOperators = core.filter((tool) => authorityTaken(tool) !== 'use').map(({ name }) => name);
    expect(core.map(({ name }) => name).filter((name) => FOR_OPERATORS.test(name))).have.members(
      forOperators,
    );
    expect(forOperators).include('core_audit_verify').and.have.length(18);
  });
});
