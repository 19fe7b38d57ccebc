import type { Attributes } from '@opentelemetry/api';
import { HIDDEN, isObject, pathBelow } from 'pegboard';
import { hiddenIn, isSecretName } from 'pegboard/kit';
import type { Call } from 'pegboard';
import type { Hide } from 'pegboard/contracts';
import type { TracingConfig } from '../config.ts';
import type { Content } from '../../contracts/tracing.ts';

/** Longer texts are not searched for secrets, and so not recorded: that would hold up other calls. */
const MAX_SEARCHED_CHARS = 1_000_000;
const MAX_LEVELS = 512;
const LEFT_OUT = '[too large]';

/** Arguments and results as attributes, with secrets hidden; nothing unless `content` is set. */
export class ContentReader {
  readonly #config: () => TracingConfig;
  readonly #secretsOf: (call: Call) => readonly Hide[];
  /** @param secretsOf secrets that belong to a call */
  constructor(config: () => TracingConfig, secretsOf: (call: Call) => readonly Hide[]) {
    this.#config = config;
    this.#secretsOf = secretsOf;
  }

  argumentsOf(content: Content): Attributes {
    if (!this.#config().content) return {};
    const args = content.args();
    return args === undefined ? {} : { 'gen_ai.tool.call.arguments': this.#shown(args, content) };
  }

  /** @param json of the result */
  resultOf(content: Content, json: string): Attributes {
    if (!this.#config().content) return {};
    return { 'gen_ai.tool.call.result': this.#shown(json, content) };
  }

  #shown(json: string, { call, hide }: Content): string {
    const value: unknown = json.length > MAX_SEARCHED_CHARS ? undefined : JSON.parse(json);
    if (value === undefined || pathBelow(value, MAX_LEVELS) !== undefined) return LEFT_OUT;
    const hides = [...this.#secretsOf(call), hide];
    const hideAll: Hide = (text) => hides.reduce((rest, one) => one(rest), text);
    // As values, for secrets that JSON spells differently; then as a text, for those that several values make up.
    const text = hideAll(JSON.stringify(hiddenIn(withoutNamed(value), hideAll)));
    const { maxContentChars } = this.#config();
    return text.length > maxContentChars ? `${text.slice(0, maxContentChars)}…` : text;
  }
}

/** Hides members whose names mark them as secret: `password`, `apiKey`. */
function withoutNamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNamed);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, part]) => {
    const isSecret = isSecretName(key) && (typeof part === 'string' || typeof part === 'number');
    return [key, isSecret ? HIDDEN : withoutNamed(part)] as const;
  });
  return Object.fromEntries(members);
}
