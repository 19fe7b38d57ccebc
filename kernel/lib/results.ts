import type { CallResult, ToolResult } from '../contracts/call.ts';

/** A result received as JSON text and parsed only when its value is read. */
class RawResult implements CallResult {
  readonly json: string;
  #value: ToolResult | undefined;
  constructor(json: string) {
    this.json = json;
  }
  value(): ToolResult {
    return (this.#value ??= JSON.parse(this.json) as ToolResult);
  }
}

class ValueResult implements CallResult {
  readonly #value: ToolResult;
  #json: string | undefined;
  constructor(value: ToolResult) {
    this.#value = value;
  }
  get json(): string {
    return (this.#json ??= JSON.stringify(this.#value));
  }
  value(): ToolResult {
    return this.#value;
  }
}

/** @param json a complete, valid JSON object */
export function rawResult(json: string): CallResult {
  return new RawResult(json);
}
export function resultOf(value: ToolResult): CallResult {
  return new ValueResult(value);
}
/** One text item. */
export function textResult(text: string, isError = false): CallResult {
  const content = [{ type: 'text', text }];
  return new ValueResult(isError ? { content, isError } : { content });
}
/** Data as structured content and, for clients that do not read that, as one text item of the same JSON.
 *  @param value an object, not an array: MCP allows nothing else */
export function structuredResult(value: object): CallResult {
  return new ValueResult({
    content: [{ type: 'text', text: JSON.stringify(value) }],
    structuredContent: value,
  });
}
/** One text item of compact JSON: indentation costs an agent about a third more tokens and adds no information. */
export function jsonResult(value: unknown): CallResult {
  return textResult(JSON.stringify(value));
}
