const MAX_CHARS = 200;
/** A page has its title at its beginning. */
const MAX_PAGE_CHARS = 8_192;

const PAGE = /^\s*<(?:!doctype\s+html|html|head|body|title|h1|center)\b/i;
const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
  '&amp;': '&',
};

/** The beginning of a body in one line; of an HTML page its title. */
export function bodyWords(body: string): string {
  return oneLine(isPage(body) ? titleOf(body.slice(0, MAX_PAGE_CHARS)) : body);
}

/** Whether a body is HTML. */
export function isPage(body: string): boolean {
  return PAGE.test(body);
}

function titleOf(page: string): string {
  const [, title = ''] = /<title[^<>]*>([^<]*)/i.exec(page) ?? [];
  const [, heading = ''] = /<h1[^<>]*>([^<]*)/i.exec(page) ?? [];
  const found = [title, heading].find((text) => text.trim() !== '') ?? page.replace(/<[^<>]*>/g, ' ');
  return found.replace(/&(?:lt|gt|quot|#39|nbsp|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, MAX_CHARS);
}
