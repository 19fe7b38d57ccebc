export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: unknown;
}
/** A JSON Schema (2020-12). */
export type JsonSchema = JsonObject;
