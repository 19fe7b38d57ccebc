import { expect } from 'chai';
import { bootGateway } from '../../support/gateway.ts';

const IMAGE = `ghcr.io/acme/files@sha256:${'a'.repeat(64)}`;
const GOOD = { type: 'stdio', runsIn: 'pod', image: IMAGE, command: ['files'] };

describe('runsIn: pod in a definition', () => {
  const faults = async (more: object): Promise<string> => {
    const gateway = await bootGateway({
      files: { 'config.yaml': '', 'mcpservers/s.yaml': JSON.stringify({ ...GOOD, ...more }) },
      builtIns: ['store-file', 'core-mcpservers'],
    });
    return (gateway.pipeline.lastReport()?.issues ?? []).map(({ message }) => message).join('\n');
  };

  it('is accepted with an image, a command, texts and Secrets in env', async () => {
    const env = { A: 'text', B: '${secret:files/token}' };
    expect(await faults({ env, grants: { network: 'all', memoryMb: 512, cpus: 0.5 }, cwd: '/srv' })).equal(
      '',
    );
  });

  it('may list addresses and networks with a port', async () => {
    const network = [
      '10.0.0.7:5432',
      '10.0.0.0/8:443',
      '[fd00::7]:443',
      '[fd00::/64]:443',
      '169.254.20.10:53',
    ];
    expect(await faults({ grants: { network }, instances: 'perSession' })).equal('');
  });

  it('refuses a network in a sandbox, whose proxy has no such entries', async () => {
    const sandbox = { runsIn: undefined, image: undefined, isolate: 'sandbox' };
    expect(await faults({ ...sandbox, grants: { network: ['10.0.0.0/8:443'] } })).include(
      'a host needs a port',
    );
  });

  for (const [more, fault] of [
    [{ image: undefined }, 'image is required with runsIn: pod'],
    [{ command: undefined }, 'command is required with runsIn: pod'],
    [{ image: 'files:latest' }, 'image must end with its digest'],
    [{ isolate: 'sandbox' }, 'isolate has no effect with runsIn: pod'],
    [{ idleTimeout: 5 }, 'idleTimeout has no effect with runsIn: pod'],
    [{ revision: 'modern' }, 'remove revision: modern'],
    [{ cwd: 'here' }, 'cwd in a pod must be absolute'],
    [{ grants: { files: [{ path: '/etc' }] } }, 'grants.files has no effect'],
    [{ grants: { processes: 5 } }, 'grants.processes has no effect'],
    [{ grants: { network: ['example.com:443'] } }, 'a pod cannot be limited to names'],
    [{ grants: { network: ['*.example.com:443'] } }, 'a pod cannot be limited to names'],
    [{ grants: { network: ['10.0.0.0/33:443'] } }, 'a pod cannot be limited to names'],
    [{ grants: { network: ['169.254.169.254:80'] } }, 'a pod gets no addresses of the link'],
    [{ grants: { network: ['169.254.169.0/24:80'] } }, 'a pod gets no addresses of the link'],
    [{ grants: { network: ['[fe80::1]:80'] } }, 'a pod gets no addresses of the link'],
    [{ grants: { network: ['168.63.129.16:80'] } }, 'a pod gets no addresses of the link'],
    [{ grants: { network: ['[fd00:ec2::23]:80'] } }, 'a pod gets no addresses of the link'],
    [{ grants: { network: ['[fd00:ec2::254]:80'] } }, 'a pod gets no addresses of the link'],
    [{ grants: { network: ['[::ffff:a9fe:a9fe]:80'] } }, 'a pod gets no addresses of the link'],
    [{ grants: { network: ['[64:ff9b::a9fe:a9fe]:80'] } }, 'a pod gets no addresses of the link'],
    [{ instances: 'perCaller' }, 'instances of a pod are processes of one user'],
    [{ env: { A: '${env:HOME}' } }, 'env.A may be a text'],
    [{ env: { A: 'x ${secret:files/token}' } }, 'env.A may be a text'],
    [{ env: { A: '${file:/etc/passwd}' } }, 'env.A may be a text'],
    [{ env: { 'A B': 'x' } }, 'env has a name that no pod can have'],
    [{ command: ['files', '${secret:files/token}'] }, 'command of a pod is read by all'],
    [{ args: ['${env:HOME}'] }, 'args of a pod is read by all'],
    [
      { type: 'streamable-http', url: 'https://a.example/mcp', command: undefined, image: undefined },
      'runsIn',
    ],
  ] as const)
    it(`has a finding for ${JSON.stringify(more)}: ${fault}`, async () => {
      expect(await faults(more)).include(fault);
    });
});
