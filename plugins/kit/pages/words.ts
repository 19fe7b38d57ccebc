import { plainText } from 'pegboard';
import { html } from '../http/page.ts';
import type { Html } from '../http/page.ts';

const MAX_CHARS = 120;
const MAX_BLOCK_CHARS = 20_000;

/** A text of others as a page shows it: on one line, short, without characters that reorder it. */
export function shown(text: string, maxChars = MAX_CHARS): string {
  const plain = plainText(text.slice(0, 4 * maxChars))
    .replace(/\s+/g, ' ')
    .trim();
  return plain.length < text.length && plain.length > maxChars ? `${plain.slice(0, maxChars)}…` : plain;
}

/** A message as a paragraph of its own. */
export function sentence(message: string): string {
  const words = shown(message, 1_000);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?…]$/.test(words) ? '' : '.'}`;
}

/** Lines of others, with their line breaks. */
export function block(text: string, maxChars = MAX_BLOCK_CHARS): string {
  const plain = plainText(text.slice(0, maxChars));
  return text.length > maxChars ? `${plain}…` : plain;
}

/** A part of a path. */
export function inPath(text: string): string {
  return encodeURIComponent(text);
}

/** `5 s`, `3 min`, `2 h`, `4 days` */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** `12 ms`, `1.5 s`, `95 s`, then as `span` */
export function took(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : span(ms);
}

/** A time as its distance from now, with the time itself. @param iso RFC 3339 */
export function ago(iso: string): Html {
  const distance = Date.now() - Date.parse(iso);
  const words = distance < 0 ? `in ${span(-distance)}` : `${span(distance)} ago`;
  return html`<time datetime="${iso}" title="${iso}">${words}</time>`;
}

/** `1,234` */
export function count(value: number): string {
  return value.toLocaleString('en');
}

/** `1 tool`, `2 tools` */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** The id of a session as a person reads it; links have the whole id. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}
