import { expect } from 'chai';
import { composeGateway } from '../../support/gateway.ts';
import { review } from '../../support/reviewed.ts';

const INTEGRITY = `sha512-${'A'.repeat(86)}==`;
const DIGEST = `sha256:${'0'.repeat(64)}`;

/** The messages about a server with this command. */
async function found(command: readonly string[], source?: object): Promise<readonly string[]> {
  const definition = JSON.stringify({ type: 'stdio', command, ...(source && { source }) });
  const { pipeline } = await composeGateway({
    builtIns: ['core-mcpservers', 'store-file', 'upstream'],
    files: { 'config.yaml': '', 'mcpservers/a.yaml': definition },
  });
  const issues = await pipeline.check((configured) => review(configured));
  return issues
    .filter(({ message }) => !message.includes('PATH'))
    .map(({ message }) => message.replace('MCPServer a: ', ''));
}

describe('The package of a server', () => {
  it('is found to have no exact version, with what pins it', async () => {
    const cure = ', so that other code may run at each start; pin it with: pegboard upgrade a';
    const none = ' is run without a version';
    for (const [line, words] of [
      ['npx -y notes', `package notes${none}`],
      [
        'npx -y @acme/notes@latest --port 1',
        'package @acme/notes is run as latest, which is not an exact version',
      ],
      ['npx --yes --package=notes notes-cli', `package notes${none}`],
      ['npx -y notes@^1.2', 'package notes is run as ^1.2, which is not an exact version'],
      ['uvx mcp-notes', `package mcp-notes${none}`],
      ['uvx --python 3.12 --from mcp-notes[all] serve', `package mcp-notes${none}`],
      ['uvx -n -p 3.12 mcp-notes', `package mcp-notes${none}`],
      ['uv tool run mcp-notes', `package mcp-notes${none}`],
      ['pipx run --spec mcp-notes serve', `package mcp-notes${none}`],
      ['docker run -i --rm -e A acme/notes', `image acme/notes${none}`],
      ['docker run -it -v/a:/b -ie A acme/notes x:1', `image acme/notes${none}`],
      [
        'podman run --rm -i ghcr.io/acme/notes:latest',
        'image ghcr.io/acme/notes is run as latest, which is not an exact version',
      ],
      ['docker run -i acme/notes:1.2', 'image acme/notes is run as 1.2, which is a tag that can be moved'],
      ['npm exec -- notes', `package notes${none}`],
      ['cmd /c npx -y notes', `package notes${none}`],
    ] as const)
      expect(await found(line.split(' ')), line).deep.equal([`${words}${cure}`]);
  });

  it('is found with what to write where it cannot be pinned', async () => {
    const cure =
      'is run without a version, so that other code may run at each start; write an exact version, as it cannot be pinned: ';
    expect(await found(['bunx', 'notes'])).deep.equal([
      `package notes ${cure}bunx cannot be given an archive that was checked; run it with npx -y`,
    ]);
    expect(await found(['sh', '-c', 'cd /x && npx -y notes'])).deep.equal([
      `package notes ${cure}a shell runs it, from a line that is not rewritten here; write its words as the command`,
    ]);
  });

  it('is not found where it has one, or is not from a registry', async () => {
    for (const line of [
      'npx -y notes@1.2.3',
      'uvx mcp-notes==1.2',
      'uvx --from mcp-notes@1.2 serve',
      `docker run -i acme/notes@${DIGEST}`,
      'npx -y github:acme/notes',
      'npx ./server',
      'uvx --from git+https://example.com/notes notes',
      'node server.js',
      'docker start notes',
      'docker compose run notes',
    ])
      expect(await found(line.split(' ')), line).deep.equal([]);
  });

  it('is refused where the command runs another one than its source', async () => {
    const source = { registry: 'npm', name: 'notes', version: '1.2.3', integrity: INTEGRITY };
    expect(await found(['npx', '-y', 'notes@1.2.3'], source)).deep.equal([]);
    const [message = ''] = await found(['npx', '-y', 'notes@1.2.4'], source);
    expect(message).match(
      /^source is notes 1\.2\.3, but the command runs notes 1\.2\.4; .* pegboard upgrade$/,
    );
    expect((await found(['node', 'x'], source))[0]).contain(
      'source names notes, but the command runs no package',
    );
    for (const line of [
      // uvx reads -p as Python, and -n without a value.
      'uvx -n evil==9.9 mcp-notes==1.2',
      'uvx --index https://a:s3cret@example.com mcp-notes==1.2',
      'uvx --index=https://a:s3cret@example.com mcp-notes==1.2',
      'uvx --unheard-of evil mcp-notes==1.2',
      'uvx -ihttps://a:s3cret@example.com mcp-notes==1.2',
    ]) {
      const python = { registry: 'pypi', name: 'mcp-notes', version: '1.2', integrity: DIGEST };
      expect((await found(line.split(' '), python)).join(), line)
        .match(/^source (?:cannot be checked: |is mcp-notes)/)
        .not.contain('s3cret');
    }
    const image = { registry: 'oci', name: 'acme/notes', version: '1', integrity: DIGEST };
    expect(await found(['docker', 'run', `acme/notes:1@${DIGEST}`], image)).deep.equal([]);
    expect((await found(['docker', 'run', 'acme/notes:1'], image))[0]).contain(
      'the command runs acme/notes 1;',
    );
  });
});
