import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import { sumOfMinutes } from '../data/minutes.ts';
import type { Minute } from '../data/minutes.ts';
import { count, counted } from '../web/words.ts';

const HEIGHT = 64;
const STEP = 8;

/** Calls of the last hour as a bar for each minute, errors in their lower part; screen readers get the sums. */
export function callChart(minutes: readonly Minute[], subject: string): Html {
  const most = Math.max(1, ...minutes.map(({ calls }) => calls));
  const { calls, errors } = sumOfMinutes(minutes);
  const words = `${subject} in the last hour: ${counted(calls, 'call')}, ${counted(errors, 'error')}, at most ${count(most)} a minute`;
  const bars = minutes.flatMap(({ calls: all, errors: bad }, at) => {
    if (all === 0) return [];
    const height = Math.max(2, Math.round((all / most) * HEIGHT));
    const lower = bad === 0 ? 0 : Math.max(2, Math.round((bad / most) * HEIGHT));
    return [bar('bar', at, height), ...(lower === 0 ? [] : [bar('bar bad', at, Math.min(lower, height))])];
  });
  return html`<svg
    class="chart"
    role="img"
    aria-label="${words}"
    viewBox="0 0 ${String(minutes.length * STEP)} ${String(HEIGHT + 1)}"
    preserveAspectRatio="none"
  >
    <rect class="base" x="0" y="${String(HEIGHT)}" width="${String(minutes.length * STEP)}" height="1" />
    ${bars}
  </svg>`;
}

function bar(look: string, at: number, height: number): Html {
  return html`<rect
    class="${look}"
    x="${String(at * STEP + 1)}"
    y="${String(HEIGHT - height)}"
    width="${String(STEP - 2)}"
    height="${String(height)}"
  />`;
}
