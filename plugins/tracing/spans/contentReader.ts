import type { Attributes } from '@opentelemetry/api';
import type { Call } from 'pegboard';
import type { Hide } from 'pegboard/contracts';
import { hiddenJson } from '../../kit/secrets/hiddenJson.ts';
import type { TracingConfig } from '../config.ts';
import type { Content } from '../../contracts/tracing.ts';

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
    const hides = [...this.#secretsOf(call), hide];
    const hideAll: Hide = (text) => hides.reduce((rest, one) => one(rest), text);
    const text = hiddenJson(json, hideAll);
    if (text === undefined) return LEFT_OUT;
    const { maxContentChars } = this.#config();
    return text.length > maxContentChars ? `${text.slice(0, maxContentChars)}…` : text;
  }
}
