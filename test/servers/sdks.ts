import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { ROOT } from '../support/sources.ts';

/** Commands, run by a shell in the folder of the programs, and what they read there; they write into $FOLDER. */
export interface Recipe {
  readonly commands: readonly string[];
  /** Paths within that folder. */
  readonly sources: readonly string[];
}
type Command = (installed: string) => readonly string[];

/** An SDK of another project, with programs of ours that use it. */
export interface Sdk {
  readonly name: string;
  readonly version: string;
  /** Folder of its programs, below the one of this file. */
  readonly folder: string;
  /** None for what npm has installed. */
  readonly recipe?: Recipe;
  /** Commands of its programs, without their arguments. */
  readonly server: Command;
  readonly client: Command;
}

/** A Python program runs from its source. */
function python(folder: string): Pick<Sdk, 'folder' | 'recipe' | 'server' | 'client'> {
  const run =
    (file: string): Command =>
    (installed) => [join(installed, 'bin/python'), join(ROOT, 'test/servers', folder, file)];
  const pip = '"$FOLDER/bin/pip" install --quiet --disable-pip-version-check -r requirements.txt';
  return {
    folder,
    recipe: { commands: ['python3 -m venv "$FOLDER"', pip], sources: ['requirements.txt'] },
    server: run('server.py'),
    client: run('client.py'),
  };
}

/** One module with a program for each SDK. */
function go(program: string): Pick<Sdk, 'folder' | 'recipe' | 'server' | 'client'> {
  const run =
    (role: string): Command =>
    (installed) => [join(installed, program), role];
  const programs = ['gosdk', 'mcpgo'].flatMap((name) =>
    ['main.go', 'server.go', 'client.go'].map((file) => `${name}/${file}`),
  );
  return {
    folder: 'go',
    recipe: {
      commands: ['CGO_ENABLED=0 go build -trimpath -mod=readonly -o "$FOLDER/" ./...'],
      sources: ['go.mod', 'go.sum', 'shared/offer.go', 'shared/walk.go', ...programs],
    },
    server: run('server'),
    client: run('client'),
  };
}

/** What is compiled is kept beside the folder, as Go keeps it elsewhere: a changed program needs seconds then. */
function rust(): Pick<Sdk, 'folder' | 'recipe' | 'server' | 'client'> {
  const run =
    (role: string): Command =>
    (installed) => [join(installed, 'rmcp'), role];
  return {
    folder: 'rust',
    recipe: {
      commands: [
        'cargo build --quiet --locked --target-dir "$FOLDER/../target"',
        'cp "$FOLDER/../target/debug/rmcp" "$FOLDER"',
      ],
      sources: ['Cargo.toml', 'Cargo.lock', 'src/main.rs', 'src/server.rs', 'src/client.rs'],
    },
    server: run('server'),
    client: run('client'),
  };
}

/** One program for both versions. */
function java(version: string): Sdk {
  const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies';
  const programs = ['Server.java', 'Client.java'];
  // The options shorten its start.
  const run =
    (program: string): Command =>
    (installed) => [
      ...['java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'],
      ...['-cp', `${installed}:${join(installed, '*')}`, program],
    ];
  return {
    name: "Java's mcp",
    version,
    folder: 'java',
    recipe: {
      commands: [
        `mvn --quiet --batch-mode ${copy} -Dmcp=${version} -DoutputDirectory="$FOLDER"`,
        `javac -Xlint:-deprecation -cp "$FOLDER/*" -d "$FOLDER" ${programs.join(' ')}`,
      ],
      sources: ['pom.xml', ...programs],
    },
    server: run('Server'),
    client: run('Client'),
  };
}

function compiled(name: string): Command {
  return () => [process.execPath, fileURLToPath(new URL(`programs/${name}.js`, import.meta.url))];
}

export const TS1: Sdk = {
  name: '@modelcontextprotocol/sdk',
  version: '1.32.2',
  folder: 'programs',
  server: compiled('ts1Server'),
  client: compiled('ts1Client'),
};
export const TS2: Sdk = {
  name: '@modelcontextprotocol/server',
  version: '2.4.0',
  folder: 'programs',
  server: compiled('ts2Server'),
  client: compiled('ts2Client'),
};
export const PYTHON: Sdk = { name: "Python's mcp", version: '1.30.0', ...python('python') };
export const FASTMCP: Sdk = { name: 'FastMCP', version: '4.2.3', ...python('fastmcp') };
export const GO: Sdk = { name: 'go-sdk', version: '1.8.0', ...go('gosdk') };
export const MCP_GO: Sdk = { name: 'mcp-go', version: '1.2.1', ...go('mcpgo') };
export const RUST: Sdk = { name: 'rmcp', version: '3.11.0', ...rust() };
export const JAVA_0 = java('0.17.0');
export const JAVA_2 = java('2.1.0');
