import type { LRUCache } from 'lru-cache';
import { TemplateError, parseTemplate } from '@pegboard/gotpl';
import type { Limits, Template } from '@pegboard/gotpl';
import { isObject, messageOf } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { Turns } from '../../kit/limits/turns.ts';
import { recentlyUsed } from '../../kit/limits/recentlyUsed.ts';
import type { WorkflowConfig } from '../config.ts';
import { HostNames } from './hostNames.ts';
import { navigate, soleReference } from './paths.ts';

/** Renders the templates in definitions; values sent by callers or tools are never treated as templates. Yields the
 *  event loop before a rendering if the current turn has taken long. */
export class Templates {
  readonly #config: () => WorkflowConfig;
  readonly #turns: Turns;
  readonly #parsed: LRUCache<string, Template>;
  #parsedFor: WorkflowConfig | undefined;
  readonly #hosts: HostNames;

  constructor(config: () => WorkflowConfig, turns: Turns, hosts = new HostNames()) {
    this.#config = config;
    this.#hosts = hosts;
    this.#turns = turns;
    this.#parsed = recentlyUsed(config().templateCacheEntries);
  }

  /** @throws TemplateError */
  parse(text: string): Template {
    const config = this.#config();
    if (config !== this.#parsedFor) this.#parsed.clear();
    this.#parsedFor = config;
    let template = this.#parsed.get(text);
    if (template === undefined) {
      template = parseTemplate(text, {
        numbers: config.templateNumbers,
        timeZone: config.templateTimeZone,
        allow: config.templateFunctions,
        readVariable: (name) => process.env[name],
        lookUpHost: this.#hosts.lookUp,
        limits: limitsIn(config),
      });
      this.#parsed.set(text, template);
    }
    return template;
  }

  /** @throws TemplateError, as do `argument` and `typed` */
  text(text: string, data: JsonObject): Promise<string> {
    return this.#made(text, (template) => template.render(data));
  }

  /** Renders arguments and expected values: a sole reference keeps its type, a sole action may be a boolean, else text.
   *  Source: requirement workflow.templates. */
  async argument(text: string, data: JsonObject): Promise<unknown> {
    const found = reference(text, data);
    if (found !== undefined) return found.value;
    return this.#made(text, (template) => {
      const printed = template.render(data);
      if (template.isSoleAction && (printed === 'true' || printed === 'false')) return printed === 'true';
      return printed;
    });
  }

  /** Renders outputs and items: every sole action keeps its type. Source: requirement workflow.templates. */
  async typed(text: string, data: JsonObject): Promise<unknown> {
    const found = reference(text, data);
    if (found !== undefined) return found.value;
    return this.#made(text, (template) => template.evaluate(data));
  }

  async #made<T>(text: string, make: (template: Template) => T): Promise<T> {
    while (this.#turns.isDue) await this.#turns.next();
    const template = this.parse(text);
    if (!template.functionNames.includes('getHostByName')) return make(template);
    return this.#hosts.during(() => make(template));
  }
}

function limitsIn(config: WorkflowConfig): Limits {
  return {
    maxSourceBytes: config.templateMaxSourceBytes,
    maxNesting: config.templateMaxNesting,
    maxOutputBytes: config.templateMaxOutputBytes,
    maxStringBytes: config.templateMaxStringBytes,
    maxListItems: config.templateMaxListItems,
    maxTemplateDepth: config.templateMaxCallDepth,
    maxValueDepth: config.templateMaxValueDepth,
    maxNodes: config.templateMaxNodes,
    maxTimeMs: config.templateMaxTimeMs,
    maxRegexInstructions: config.templateMaxRegexInstructions,
    maxRegexInputBytes: config.templateMaxRegexInputBytes,
    maxRegexSteps: config.templateMaxRegexSteps,
  };
}

/** Undefined if the path does not resolve: rendering then fails with Go's message.
 *  @throws Error for a path that is not a Go template (hyphens, indexes) and does not resolve */
function reference(text: string, data: JsonObject): { readonly value: unknown } | undefined {
  const path = soleReference(text);
  if (path === undefined) return undefined;
  try {
    return { value: navigate(data, path) };
  } catch (error) {
    if (/[[\]-]/.test(path)) throw error;
    return undefined;
  }
}

export function isTemplate(text: string): boolean {
  return text.includes('{{') && text.includes('}}');
}

/** All texts inside `value`, with their paths. */
export function textsIn(value: unknown, path: readonly (string | number)[]): readonly FoundTemplate[] {
  if (typeof value === 'string') return [{ text: value, path }];
  if (Array.isArray(value)) return value.flatMap((one, index) => textsIn(one, [...path, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, one]) => textsIn(one, [...path, key]));
}
export interface FoundTemplate {
  readonly text: string;
  readonly path: readonly (string | number)[];
  /** Whether it is evaluated with the root `.result`. */
  readonly hasResult?: boolean;
}

/** A copy with each template string replaced by its rendering. Keys are never templates. */
export async function renderDeep(value: unknown, render: Render): Promise<unknown> {
  if (typeof value === 'string') return isTemplate(value) ? render(value) : value;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const one of value) items.push(await renderDeep(one, render));
    return items;
  }
  return isObject(value) ? mapValues(value, (one) => renderDeep(one, render)) : value;
}
export type Render = (text: string) => Promise<unknown>;

/** Maps the values of an object, one after another. */
export async function mapValues(
  value: JsonObject,
  map: (one: unknown, key: string) => Promise<unknown>,
): Promise<JsonObject> {
  const entries: [string, unknown][] = [];
  for (const [key, one] of Object.entries(value)) entries.push([key, await map(one, key)]);
  return Object.fromEntries(entries);
}

/** The message shown in results: `invalid template: …` or `template execution failed: …`. */
export function templateFault(error: unknown): string {
  if (!(error instanceof TemplateError)) return messageOf(error);
  return error.kind === 'parse'
    ? `invalid template: ${error.message}`
    : `template execution failed: ${error.message}`;
}
