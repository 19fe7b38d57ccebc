/* global document, window, location, fetch, EventSource, DOMParser, FormData, URLSearchParams, setTimeout, clearTimeout */
// Reads the page again when the gateway says that something has changed. Without this file, pages work as well.

const main = () => document.getElementById('main');
const keyOf = (element) => element.dataset.keep ?? element.querySelector('summary')?.textContent;
let isReading = false;
let isStale = false;

const FIELDS = 'input:not([type=hidden]), textarea, select';

function isChanged(field) {
  if (field.matches('select')) return field.value !== presetOf(field);
  return field.value !== field.defaultValue || field.checked !== field.defaultChecked;
}
function presetOf(select) {
  return [...select.options].find((option) => option.defaultSelected)?.value ?? select.options[0]?.value;
}

/** What a person is doing must not be taken away: typing, what was typed, selecting, reading a question. */
function isInUse() {
  if (document.activeElement?.matches(FIELDS)) return true;
  if ([...main().querySelectorAll(FIELDS)].some(isChanged)) return true;
  return window.getSelection()?.isCollapsed === false;
}

function pathTo(element) {
  const path = [];
  for (let at = element; at !== main(); at = at.parentElement) {
    if (at === null) return undefined;
    path.unshift([...at.parentElement.children].indexOf(at));
  }
  return path;
}

function replaceWith(fresh) {
  const old = main();
  const focused = old.contains(document.activeElement) ? pathTo(document.activeElement) : undefined;
  const open = new Set([...old.querySelectorAll('details[open]')].map(keyOf));
  const closed = new Set([...old.querySelectorAll('details:not([open])')].map(keyOf));
  const scrolled = [...old.querySelectorAll('.scroll, pre')].map((element) => element.scrollLeft);
  for (const details of fresh.querySelectorAll('details')) {
    if (open.has(keyOf(details))) details.open = true;
    else if (closed.has(keyOf(details))) details.open = false;
  }
  old.replaceChildren(...fresh.childNodes);
  old.querySelectorAll('.scroll, pre').forEach((element, at) => (element.scrollLeft = scrolled[at] ?? 0));
  focused?.reduce((at, child) => at?.children[child], old)?.focus({ preventScroll: true });
}

async function read() {
  if (isReading || isInUse() || document.hidden) {
    isStale = true;
    return;
  }
  isReading = true;
  isStale = false;
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
    if (answer.status === 401) return signedOut();
    const text = await answer.text();
    const fresh = new DOMParser().parseFromString(text, 'text/html');
    const next = fresh.getElementById('main');
    if (next === null || isInUse()) isStale = true;
    else {
      replaceWith(next);
      const [nav, freshNav] = [document.querySelector('nav'), fresh.querySelector('nav')];
      // Pages of plugins come and go.
      if (nav.textContent !== freshNav.textContent) nav.replaceChildren(...freshNav.childNodes);
      document.querySelector('footer').replaceChildren(...fresh.querySelector('footer').childNodes);
      say('live, as of');
    }
  } catch {
    isStale = true;
  } finally {
    isReading = false;
  }
}

/** It does not sign in again by itself: the person may have signed out in another window. */
function signedOut() {
  stream.close();
  say('signed out: open this page again to sign in; as of');
}

function say(words) {
  document.getElementById('live').textContent = words;
}

const stream = new EventSource('/events/stream');
stream.addEventListener('open', () => {
  say('live, as of');
  if (isStale) void read();
});
stream.addEventListener('changed', () => void read());
stream.addEventListener('error', () => {
  isStale = true;
  say('connection lost; as of');
  // The stream says nothing about why it was refused.
  if (stream.readyState === EventSource.CLOSED) void findOut();
});
async function findOut() {
  const { status } = await fetch(location.href, { method: 'HEAD' }).catch(() => ({ status: 0 }));
  if (status === 401) signedOut();
}
const catchUp = () => {
  if (isStale && stream.readyState === EventSource.OPEN) void read();
};
document.addEventListener('visibilitychange', catchUp);
document.addEventListener('focusout', catchUp);

/** A form with `data-preview` shows what its button would show while a person types, in the element of that id. */
let typing;
let previews = 0;
document.addEventListener('input', ({ target }) => {
  const { form } = target;
  if (form?.dataset.preview === undefined) return;
  clearTimeout(typing);
  typing = setTimeout(() => void preview(form), 400);
});
async function preview(form) {
  const number = ++previews;
  const body = new URLSearchParams(new FormData(form));
  const answer = await fetch(form.action, { method: 'POST', body, headers: { accept: 'text/html' } }).catch(
    () => undefined,
  );
  if (answer === undefined || number !== previews) return;
  if (answer.status === 401) return signedOut();
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const shown = fresh.getElementById(form.dataset.preview) ?? fresh.getElementById('main');
  if (number === previews)
    document.getElementById(form.dataset.preview)?.replaceChildren(...shown.childNodes);
}
