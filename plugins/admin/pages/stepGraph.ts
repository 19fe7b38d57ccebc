import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import { toneOf } from '../../kit/pages/parts.ts';
import { count, shown, took } from '../../kit/pages/words.ts';
import type { GraphRow, GraphStep } from '../data/graphSteps.ts';

const WIDTH = 172;
const HEIGHT = 50;
const GAP = 34;
const BETWEEN = 10;
const PADDING = 12;
/** Height of the name above the steps of a loop or a group. */
const NAME = 26;
/** More would be neither read nor quick; the list below the graph has all. */
const MAX_STEPS = 100;

const KINDS = { tool: '', forEach: 'for each', parallel: 'at the same time' } as const;

interface Size {
  readonly width: number;
  readonly height: number;
}
/** The place of the upper left corner. */
interface Place {
  readonly x: number;
  readonly y: number;
}

/** The address of a step in the list of the same page. */
export function stepAnchor(id: string): string {
  return `step-${id}`;
}

/** Steps as a drawing for each row, made here: each is a link to the step in the list below, and says its state in words.
 *  @param isListed whether the list has a step */
export function stepGraph(rows: readonly GraphRow[], isListed: (id: string) => boolean = () => true): Html {
  return html`${rows.map(({ title, steps }, at) => {
    const part = firstOf(steps, isListed);
    const { width, height } = sizeOfChain(part);
    const words = `${rows.length === 1 ? 'Steps' : title} as a graph`;
    return html`${rows.length === 1 && at === 0 ? undefined : html`<h3>${title}</h3>`}
      <div class="scroll graph" tabindex="0" role="region" aria-label="${words}">
        <svg width="${String(width + 2)}" height="${String(height + 2)}" role="group" aria-label="${words}">
          ${chain(part, { x: 1, y: 1 })}
        </svg>
      </div>
      ${hasMore(steps) ? html`<p class="quiet">Of each list of steps, the first ${count(MAX_STEPS)} are drawn.</p>` : undefined}`;
  })}`;
}

/** A step with what is drawn of it. */
interface DrawnStep extends Omit<GraphStep, 'steps'> {
  readonly isListed: boolean;
  readonly steps: readonly DrawnStep[];
}

function firstOf(steps: readonly GraphStep[], isListed: (id: string) => boolean): readonly DrawnStep[] {
  return steps
    .slice(0, MAX_STEPS)
    .map((step) => ({ ...step, isListed: isListed(step.id), steps: firstOf(step.steps, isListed) }));
}

function hasMore(steps: readonly GraphStep[]): boolean {
  return steps.length > MAX_STEPS || steps.some((step) => hasMore(step.steps));
}

function sizeOf({ kind, steps }: DrawnStep): Size {
  if (kind === 'tool') return { width: WIDTH, height: HEIGHT };
  const { width, height } = kind === 'forEach' ? sizeOfChain(steps) : sizeOfStack(steps);
  return { width: Math.max(WIDTH, width) + 2 * PADDING, height: height + NAME + PADDING };
}

function sizeOfChain(steps: readonly DrawnStep[]): Size {
  const sizes = steps.map(sizeOf);
  return {
    width: sizes.reduce((sum, { width }) => sum + width + GAP, -GAP),
    height: Math.max(0, ...sizes.map(({ height }) => height)),
  };
}

function sizeOfStack(steps: readonly DrawnStep[]): Size {
  const sizes = steps.map(sizeOf);
  return {
    width: Math.max(0, ...sizes.map(({ width }) => width)),
    height: sizes.reduce((sum, { height }) => sum + height + BETWEEN, -BETWEEN),
  };
}

/** One after another, with an arrow between two. */
function chain(steps: readonly DrawnStep[], { x, y }: Place): readonly Html[] {
  const middle = y + sizeOfChain(steps).height / 2;
  let at = x;
  return steps.flatMap((step, index) => {
    const { width, height } = sizeOf(step);
    const left = at;
    at += width + GAP;
    return [...(index === 0 ? [] : [arrow(left, middle)]), drawn(step, { x: left, y: middle - height / 2 })];
  });
}

function stack(steps: readonly DrawnStep[], { x, y }: Place): readonly Html[] {
  let at = y;
  return steps.map((step) => {
    const place = { x, y: at };
    at += sizeOf(step).height + BETWEEN;
    return drawn(step, place);
  });
}

/** @param x where the step begins that it leads to */
function arrow(x: number, y: number): Html {
  const line = `M${px(x - GAP + 3)} ${px(y)}H${px(x - 4)}m-6 -4l6 4l-6 4`;
  return html`<path class="edge" d="${line}" />`;
}

function drawn(step: DrawnStep, place: Place): Html {
  if (step.kind === 'tool') return node(step, place);
  const inner = { x: place.x + PADDING, y: place.y + NAME };
  return html`${box(step, place)}${step.kind === 'forEach' ? chain(step.steps, inner) : stack(step.steps, inner)}`;
}

/** What is around the steps of a loop or a group. */
function box(step: DrawnStep, { x, y }: Place): Html {
  const { width, height } = sizeOf(step);
  const drawing = html`<rect
      class="group"
      x="${px(x)}"
      y="${px(y)}"
      width="${px(width)}"
      height="${px(height)}"
      rx="8"
    />
    <svg x="${px(x)}" y="${px(y)}" width="${px(width)}" height="${px(NAME)}">
      <text x="${px(PADDING)}" y="18">
        <tspan class="name">${shown(step.id)}</tspan>
        ${noteOf(step)}
      </text>
    </svg>`;
  return linked(step, drawing);
}

/** A link, where there is something to lead to. */
function linked(step: DrawnStep, drawing: Html): Html {
  const words = wordsOf(step);
  if (!step.isListed) return html`<g role="img" aria-label="${words}">${drawing}</g>`;
  return html`<a href="#${stepAnchor(step.id)}" aria-label="${words}">${drawing}</a>`;
}

/** An inner svg cuts a name that is too long at the edge. */
function node(step: DrawnStep, { x, y }: Place): Html {
  const tone = step.state === 'running' ? 'care' : toneOf(step.state ?? '');
  const note = noteOf(step);
  const drawing = html`<title>${wordsOf(step)}</title>
    <rect class="node ${tone}" x="${px(x)}" y="${px(y)}" width="${px(WIDTH)}" height="${px(HEIGHT)}" rx="8" />
    <svg x="${px(x)}" y="${px(y)}" width="${px(WIDTH - 8)}" height="${px(HEIGHT)}">
      <text class="name" x="12" y="${note === '' ? '30' : '21'}">${shown(step.id)}</text>
      ${note === '' ? undefined : html`<text class="${tone}" x="12" y="39">${note}</text>`}
    </svg>`;
  return linked(step, drawing);
}

function wordsOf(step: DrawnStep): string {
  const note = noteOf(step);
  return note === '' ? shown(step.id) : `${shown(step.id)}: ${note}`;
}

function noteOf({ kind, state, ms, times }: DrawnStep): string {
  const words = [
    KINDS[kind],
    times === undefined ? '' : `${count(times)} ×`,
    state ?? '',
    ms === undefined ? '' : took(ms),
  ];
  return words.filter((one) => one !== '').join(' · ');
}

function px(value: number): string {
  return String(Math.round(value * 10) / 10);
}
