import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';

/** Both in ms since the epoch. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Width of the drawing; the page stretches it. */
const WIDTH = 1_000;
/** Wide enough to be seen, however short the time. */
const LEAST = 6;

/** When something ran within a longer time, as a bar. The words beside it say the same, so it is hidden from screen readers. */
export function spanBar({ start, end }: Span, within: Span, isBad: boolean): Html {
  const scale = WIDTH / Math.max(1, within.end - within.start);
  const width = Math.min(WIDTH, Math.max(LEAST, (end - start) * scale));
  const x = Math.min(WIDTH - width, Math.max(0, (start - within.start) * scale));
  return html`<svg
    class="span"
    viewBox="0 0 ${String(WIDTH)} 8"
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    <rect
      class="${isBad ? 'bad' : 'good'}"
      x="${x.toFixed(1)}"
      y="0"
      width="${width.toFixed(1)}"
      height="8"
    ></rect>
  </svg>`;
}
