import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { GatewayError, isGatewayError, messageOf, waitAtMost } from 'pegboard';
import type { InboundRequest, Scope } from 'pegboard';
import { ResourceStore } from '../../contracts/definitions.ts';
import { createFile } from '../../kit/files/atomicFile.ts';
import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import { faultsError, newServer, sentIn } from '../data/newServer.ts';
import type { NewServer, PlannedServer } from '../data/newServer.ts';
import { runTool } from '../data/runTool.ts';
import { serverNamed } from '../data/servers.ts';
import { actionForm } from '../../kit/pages/actionForm.ts';
import type { Action, Answered, Done, Visit } from '../web/definePage.ts';
import { output, section } from '../../kit/pages/parts.ts';
import { block, inPath, shown } from '../../kit/pages/words.ts';
import { TITLE, newServerForm } from './newServerPage.ts';

/** How long a form waits for the start; the server's page shows how it continues. */
const START_MS = 5_000;

/** `POST /mcps/new` shows what would be written, `POST /mcps` writes it by core_mcpserver_create and starts it. */
export function newServerActions(scope: Scope<unknown>): readonly Action[] {
  const read = ({ form, request }: Visit): Promise<NewServer> => newServer(scope, sentIn(form), request);
  return [
    { method: 'POST', path: '/mcps/new', run: async (visit) => preview(await read(visit), visit) },
    { method: 'POST', path: '/mcps', run: async (visit) => create(scope, await read(visit), visit) },
  ];
}

function preview(all: NewServer, visit: Visit): Answered {
  const { planned, faults } = all;
  const body = html`${planned && plannedSection(planned, all, visit)}
  ${section('What to add', newServerForm(all, visit))}`;
  if (planned === undefined)
    return { shown: { title: TITLE, body }, facts: undefined, error: faultsError(faults) };
  const { name, yaml, runs, notes } = planned;
  return { shown: { title: `Add ${shown(name)}`, body }, facts: { name, yaml, runs, notes } };
}

function plannedSection(
  { name, yaml, runs, notes, secrets, isRemote }: PlannedServer,
  { sent }: NewServer,
  visit: Visit,
): Html {
  const act = isRemote
    ? 'Pegboard connects to this address, and agents read what it answers'
    : 'Pegboard starts this command, which can do what the user of Pegboard can do';
  const button = actionForm(visit, {
    action: '/mcps',
    label: 'Write it',
    about: shown(name),
    fields: sent,
    isMain: true,
  });
  return section(
    'What will be written',
    html`<div class="care-box">
        <p>${act}. Write it only if you trust who wrote the text:</p>
        <p><code>${shown(runs, 20_000)}</code></p>
      </div>
      ${
        notes.length === 0
          ? undefined
          : html`<ul>
              ${notes.map((note) => html`<li>${shown(note, 1_000)}</li>`)}
            </ul>`
      }
      ${output('Definition', block(yaml))}
      ${secrets.length === 0 ? undefined : html`<p class="quiet">Each \${file:…} is a new file with a secret that you have typed; only the user of Pegboard can read it.</p>`}
      <div class="row actions">${button}</div>`,
  );
}

async function create(scope: Scope<unknown>, all: NewServer, visit: Visit): Promise<Done | Answered> {
  const { planned } = all;
  if (planned === undefined) return preview(all, visit);
  const { name, spec, secrets } = planned;
  const written: string[] = [];
  try {
    for (const secret of secrets) if (await writeSecret(secret)) written.push(secret.path);
    await runTool(scope, 'core_mcpserver_create', { name, ...spec }, visit.request);
  } catch (error) {
    // A definition that is stored and not in force refers to them.
    if ((await scope.get(ResourceStore).get('MCPServer', name)) === undefined)
      await Promise.all(written.map((path) => rm(path, { force: true })));
    if (!isGatewayError(error) || !error.expose) throw error;
    const faults = new Map([[error.code === 'STORE_CONFLICT' ? 'name' : 'text', error.message] as const]);
    return { ...preview({ sent: all.sent, faults }, visit), error };
  }
  const said = await started(scope, name, visit.request);
  return { message: `server ${name} was added${said}`, next: `/mcps/${inPath(name)}` };
}

/** @returns whether the file is new @throws GatewayError STORE_CONFLICT if it has another secret */
async function writeSecret({ path, text }: PlannedServer['secrets'][number]): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  if (await createFile(path, text)) return true;
  if ((await readFile(path, 'utf8')) === text) return false;
  throw new GatewayError('STORE_CONFLICT', `${path} has another secret; remove it, or choose another name`);
}

/** @returns how the start went, as the end of a sentence */
async function started(scope: Scope<unknown>, name: string, request: InboundRequest): Promise<string> {
  let said = '';
  const start = runTool(scope, 'core_service_start', { name }, request).then(
    () => (said = `, and is ${serverNamed(scope, name).status().state}`),
    (error: unknown) => (said = isGatewayError(error) ? `, but does not start: ${messageOf(error)}` : ''),
  );
  await waitAtMost(START_MS, start);
  return said === '' ? ', and is starting' : said;
}
