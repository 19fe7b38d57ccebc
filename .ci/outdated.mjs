// Shows which direct dependencies have a newer version, and why those that stay behind do. Exits with 1 if one of them has no reason.
import { spawnSync } from 'node:child_process';

const OLDEST_NODE = 'newer majors do not run on Node.js 20.19 (D2)';
const REASONS = {
  '@kubernetes/client-node': '2 brings undici 8, which needs Node.js 22.19 (D2)',
  '@modelcontextprotocol/conformance': 'the alpha knows the newest revision, which `latest` does not (D40)',
  '@sigstore/bundle': OLDEST_NODE,
  '@sigstore/verify': OLDEST_NODE,
  '@types/node': OLDEST_NODE,
  'onnxruntime-node': 'an optional peer, which is not installed here',
  'onnxruntime-web': 'an optional peer, which is not installed here',
  protobufjs: '8 has not been tried; a test reads OTLP with it',
  rolldown: 'later ones lack some of their binaries, so that `npm ci` fails (D84)',
  typescript: 'typescript-eslint knows none after 6.0',
  undici: OLDEST_NODE,
  'yaml-language-server': OLDEST_NODE,
};

const { stdout } = spawnSync('npm', ['outdated', '--json'], {
  encoding: 'utf8',
  shell: process.platform === 'win32',
});
const outdated = Object.entries(JSON.parse(stdout || '{}'));
const rows = outdated.map(([name, { current = '-', latest }]) => [
  name,
  current,
  latest,
  REASONS[name] ?? '',
]);
const widths = [0, 1, 2].map((at) => Math.max(0, ...rows.map((row) => row[at].length)));
for (const row of rows)
  console.log(
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
const unexplained = rows.filter(([, , , reason]) => reason === '');
if (unexplained.length > 0)
  console.error(`${unexplained.length} can be updated: npm install --save-exact NAME@VERSION`);
process.exitCode = unexplained.length > 0 ? 1 : 0;
