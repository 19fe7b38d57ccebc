import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import { SPANS, spanBegan } from '../data/callSeries.ts';
import type { CallFigures, CallSeries, Span } from '../data/callSeries.ts';
import type { CallQuery } from '../web/callLinks.ts';
import { asked } from '../../kit/pages/filterForm.ts';
import { table } from '../../kit/pages/parts.ts';
import { count, counted, took } from '../../kit/pages/words.ts';

const HEIGHT = 64;
const STEP = 8;
/** How long calls are listed. */
const KEPT_MS = 86_400_000;
const NAMES = Object.keys(SPANS) as Span[];
/** How long a bar is, in words. */
const PARTS: Readonly<Record<Span, string>> = {
  hour: 'a minute',
  day: 'in half an hour',
  week: 'in three hours',
};

/** The calls of a page over the time that its query asks for. */
export interface CallTimes {
  readonly span: Span;
  /** When the first part began, RFC 3339. */
  readonly began: string;
  /** The parts of that time, the oldest first. */
  readonly parts: readonly CallFigures[];
  readonly sums: Readonly<Record<Span, CallFigures>>;
}

/** `?span=day`; an hour without it. */
export function spanIn(query: URLSearchParams): Span {
  return NAMES.find((one) => one === asked(query, 'span')) ?? 'hour';
}

export function callTimes(series: CallSeries, query: URLSearchParams): CallTimes {
  const span = spanIn(query);
  const sums = Object.fromEntries(NAMES.map((one) => [one, series.whole(one)])) as CallTimes['sums'];
  return { span, began: spanBegan(span), parts: series.parts(span), sums };
}

/** The address of a list of calls; undefined where none is kept. */
export type CallsAt = (query: CallQuery) => string | undefined;

/** Links to the times, calls as bars with a scale, and the figures of each time. @param path of the page @param subject what was called */
export function callFigures(path: string, times: CallTimes, subject: string, at: CallsAt): Html {
  const { span, sums } = times;
  return html`<p class="row spans">
      ${NAMES.map((one) => (one === span ? html`<a class="button" href="${path}?span=${one}" aria-current="true">${one}</a>` : html`<a class="button" href="${path}?span=${one}">${one}</a>`))}
    </p>
    ${callChart(times, subject, at)}
    <p class="axis" id="figures"><span>${span === 'hour' ? 'an' : 'a'} ${span} ago</span><span>now</span></p>
    ${table(
      { caption: `Calls of ${subject}`, empty: '' },
      ['In the last', ...FIGURE_HEADS],
      NAMES.map((one) => [one, ...figureCells(sums[one], one, at)]),
    )}`;
}

export const FIGURE_HEADS = ['Calls', 'Errors', 'p50', 'p95'];

/** Cells for `FIGURE_HEADS`. Calls are kept for a day. */
export function figureCells(
  { calls, errors, p50, p95 }: CallFigures,
  span: Span,
  at: CallsAt,
): readonly (Html | undefined)[] {
  const number = (text: Html | string): Html => html`<span class="number">${text}</span>`;
  const since = spanBegan(span);
  const linked = (words: string, query: CallQuery = {}): Html => {
    const href = span === 'week' ? undefined : at({ since, ...query });
    return number(href === undefined ? words : html`<a href="${href}">${words}</a>`);
  };
  const time = (ms: number | undefined): Html | undefined =>
    ms === undefined ? undefined : number(took(ms));
  return [linked(count(calls)), linked(count(errors), { outcome: 'error' }), time(p50), time(p95)];
}

/** A bar for each part, errors in its lower part, and a scale; screen readers get the sums. Bars lead to their calls. */
function callChart({ parts, sums, span, began }: CallTimes, subject: string, listAt: CallsAt): Html {
  const { calls, errors, p50, p95 } = sums[span];
  const most = Math.max(0, ...parts.map((part) => part.calls));
  const top = topOf(most);
  const times =
    p50 === undefined || p95 === undefined
      ? ''
      : `; half took at most ${took(p50)}, 95 in 100 at most ${took(p95)}`;
  const words = `${subject} in the last ${span}: ${counted(calls, 'call')}, ${counted(errors, 'error')}, at most ${count(most)} ${PARTS[span]}${times}`;
  const bars = parts.flatMap(({ calls: all, errors: bad }, at) => {
    if (all === 0) return [];
    const height = Math.max(2, Math.round((all / top) * HEIGHT));
    const lower = bad === 0 ? 0 : Math.max(2, Math.round((bad / top) * HEIGHT));
    const drawn = html`${bar('bar', at, height)}${lower === 0 ? undefined : bar('bar bad', at, Math.min(lower, height))}`;
    const from = Date.parse(began) + at * SPANS[span].ms;
    const [since = '', until = ''] = [from, from + SPANS[span].ms].map((ms) => new Date(ms).toISOString());
    const href = from < Date.now() - KEPT_MS ? undefined : listAt({ since, until });
    if (href === undefined) return [drawn];
    const about = `${counted(all, 'call')}, ${counted(bad, 'error')}, from ${since.slice(11, 16)} to ${until.slice(11, 16)} UTC`;
    return [
      html`<a href="${href}" aria-label="${about}"
        ><title>${about}</title>${bar('hit', at, HEIGHT)}${drawn}</a
      >`,
    ];
  });
  const hasLinks = bars.some(({ text }) => text.startsWith('<a'));
  const width = String(parts.length * STEP);
  const line = (y: number): Html =>
    html`<rect class="base" x="0" y="${String(y)}" width="${width}" height="1" />`;
  return html`${hasLinks ? html`<a class="skip" href="#figures">Skip the bars</a>` : undefined}
    <div class="plot">
      <div class="scale" aria-hidden="true">
        <span>${count(top)}</span><span>${count(top / 2)}</span><span>0</span>
      </div>
      <svg
        class="chart"
        role="${hasLinks ? 'group' : 'img'}"
        aria-label="${words}"
        viewBox="0 0 ${width} ${String(HEIGHT + 1)}"
        preserveAspectRatio="none"
      >
        ${line(0)}${line(HEIGHT / 2)}${line(HEIGHT)}${bars}
      </svg>
    </div>`;
}

/** The upper end of the scale, with a whole number in the middle: 2, 4, 10, 20, 40, 100. */
function topOf(most: number): number {
  const unit = 10 ** Math.max(0, Math.ceil(Math.log10(Math.max(1, most))) - 1);
  return [2, 4, 10].map((one) => one * unit).find((one) => one >= most) ?? 10 * unit;
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
