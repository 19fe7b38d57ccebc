/** `npm run clients`: agents that people use, against a gateway, with a scripted model. `-- --install` installs them first. */
import { parseArgs } from 'node:util';
import { runEnds } from '../support/cleanup.ts';
import { CLIENTS } from './clients.ts';
import type { Client } from './clients.ts';
import { folderOf, install, isInstalled } from './installation.ts';
import { legsOf } from './legs.ts';

const USAGE = `npm run clients -- [--install] [--only <words>]

  --install   installs missing clients from npm, in the user's cache folder; without it they are skipped
  --only      clients whose name and version contain these words
`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      install: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return print(USAGE);
  const clients = CLIENTS.filter((client) => titleOf(client).includes(values.only));
  if (clients.length === 0) return print(`no client matches ${values.only}\n`, 2);
  let passed = 0;
  let failed = 0;
  const skipped: string[] = [];
  for (const client of clients) {
    if (values.install && !isInstalled(client)) {
      print(`installing ${titleOf(client)} into ${folderOf(client)}\n`);
      install(client);
    }
    if (!isInstalled(client)) {
      skipped.push(titleOf(client));
      continue;
    }
    for (const { title, run } of legsOf(client)) {
      try {
        print(`${titleOf(client)} ${title}: ${await run(client)}\n`);
        passed += 1;
      } catch (error) {
        print(`FAULT ${titleOf(client)} ${title}: ${String(error)}\n`);
        failed += 1;
      } finally {
        await runEnds();
      }
    }
  }
  if (skipped.length > 0)
    print(`SKIPPED, not installed: ${skipped.join(', ')}; install them with: npm run clients -- --install\n`);
  print(`${passed} passed, ${failed} failed, ${skipped.length} skipped\n`);
  return failed > 0 || passed === 0 ? 1 : 0;
}

function titleOf({ name, version }: Client): string {
  return `${name} ${version}`;
}
function print(text: string, code = 0): number {
  process.stdout.write(text);
  return code;
}

process.exitCode = await main();
