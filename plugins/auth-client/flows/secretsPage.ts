import type { InboundRequest, Reply } from 'pegboard';
import { html, page } from '../../kit/http/page.ts';
import type { HttpExchange } from '../../contracts/http.ts';
import type { CallerSecrets } from '../grants/store/callerSecrets.ts';
import { askerWords } from './askerOf.ts';
import type { Askers } from './askers.ts';
import type { BrowserEndpoint } from './browserRoute.ts';
import type { Connections, ServerFault } from './connections.ts';
import { failurePage } from './failurePage.ts';
import { digest } from '../../kit/secrets/secrets.ts';
import { SECRETS_PATH } from './ownAddresses.ts';
import type { SecretRequest, SecretRequests } from './secretRequests.ts';

const MAX_FORM_BYTES = 65_536;
const MAX_CHARS = 4_096;
/** Anything else could not be sent in a header. */
const SECRET = /^[\x20-\x7e]+$/;

/** `/oauth/proxy/secrets`: where a person enters what the `${caller:NAME}` references of a server stand for. Neither the model nor
 *  its client sees the values, and no page shows them again. */
export function secretsPage(
  requests: SecretRequests,
  secrets: CallerSecrets,
  askers: Askers,
  connections: Connections,
): readonly BrowserEndpoint[] {
  const handle = async (http: HttpExchange, request: InboundRequest): Promise<Reply> => {
    const state = http.query.get('state') ?? '';
    if (state === '') return failurePage('no-link');
    const asked = await requests.find(state);
    if (asked === undefined) return failurePage('expired');
    const known = askers.browserIn(request);
    const browser = askers.give(request);
    const other = await askers.browserOf(asked.asker, request, `${SECRETS_PATH}?${http.query.toString()}`);
    if (other !== undefined && other !== 'unknowable')
      return { ...other, headers: { ...browser.headers, ...other.headers } };
    const shown = (fault?: string): Reply => {
      const form = formPage(asked, digest(browser.id), fault);
      return { ...form, headers: { ...form.headers, ...browser.headers } };
    };
    if (http.req.method !== 'POST') return shown();
    const form = new URLSearchParams(await http.body(MAX_FORM_BYTES));
    if (known === undefined || form.get('browser') !== digest(known)) return shown();
    const entered = asked.names.map((name) => [name, (form.get(fieldOf(name)) ?? '').trim()] as const);
    const fault = entered.map(([name, value]) => faultOf(name, value)).find((one) => one !== undefined);
    if (fault !== undefined) return shown(fault);
    if ((await requests.take(state)) === undefined) return failurePage('expired');
    const { owner, server, url } = asked;
    for (const [name, value] of entered) await secrets.put({ owner, server }, name, { url, value });
    const unusable = await connections.connectFor(asked);
    if (unusable?.isRefused !== true) return savedPage(server, unusable);
    await requests.reopen(state, asked);
    return shown(`${server} does not accept what you entered. Correct it, and save again.`);
  };
  return [
    { method: 'GET', path: SECRETS_PATH, handle },
    { method: 'POST', path: SECRETS_PATH, handle },
  ];
}

function savedPage(server: string, fault: ServerFault | undefined): Reply {
  return page(
    fault === undefined ? 'Saved' : 'Saved, but not usable yet',
    html`<p>What <strong>${server}</strong> needs is saved, for your calls only.</p>
      ${fault === undefined ? undefined : html`<p class="fault">It cannot be used yet: ${fault.words}</p>`}
      <p>You can close this window and return to your application.</p>`,
  );
}

function fieldOf(name: string): string {
  return `secret ${name}`;
}

/** @returns what is wrong with it, without it */
function faultOf(name: string, value: string): string | undefined {
  if (value === '') return `${name} is empty.`;
  if (value.length > MAX_CHARS) return `${name} has more than ${MAX_CHARS} characters.`;
  return SECRET.test(value) ? undefined : `${name} has characters that cannot be sent in a header.`;
}

function formPage(
  { server, url, names, words = {}, asker }: SecretRequest,
  browser: string,
  fault: string | undefined,
): Reply {
  const fields = names.map((name) => {
    const note = Object.hasOwn(words, name) ? words[name] : undefined;
    return html`<label for="field-${name}">${name}</label>
      ${note === undefined ? undefined : html`<p class="note" id="about-${name}">${note}</p>`}
      <p>
        <input
          type="password"
          id="field-${name}"
          name="${fieldOf(name)}"
          aria-describedby="about-${name}"
          autocomplete="off"
          maxlength="${String(MAX_CHARS)}"
          required
        />
      </p>`;
  });
  const whose =
    asker.subject === undefined
      ? undefined
      : html`<p>They are used for the calls of ${askerWords(asker)}. Continue only if that is you.</p>`;
  return page(
    `Secrets for ${server}`,
    html`<p>
        <strong>${server}</strong> (${placeOf(url)}) needs secrets of yours. They are kept encrypted, and
        never shown again.
      </p>
      ${whose} ${fault === undefined ? undefined : html`<p class="fault" role="alert">${fault}</p>`}
      <form method="post">
        <input type="hidden" name="browser" value="${browser}" />
        ${fields}
        <button>Save</button>
      </form>`,
    { status: fault === undefined ? 200 : 400 },
  );
}

/** Where a server is. Its path and query may hold secrets of the operator. */
function placeOf(url: string): string {
  return URL.canParse(url) && new URL(url).host !== '' ? new URL(url).host : 'a program beside this gateway';
}
