// Generated from schemas/config/search-semantic.schema.json by npm run tables.
export interface SearchSemanticConfig {
  /** The address that makes embeddings, as OpenAI's does: https://api.openai.com/v1/embeddings. Texts of tools
   *  and queries are sent there. */
  readonly url?: string;
  /** Name of the model there. */
  readonly model?: string;
  /** Sent as a bearer token; ${env:…} or ${file:…}, filled at each request, rather than the key itself. */
  readonly apiKey?: string;
  /** Length of the vectors to ask for, if the model has several. */
  readonly dimensions?: number;
  /** Folder of a local model in place of url: model.onnx, or onnx/model.onnx, and tokenizer.json; relative to
   *  the configuration directory. It needs onnxruntime-node or onnxruntime-web. */
  readonly folder?: string;
  /** What is longer of a text is cut off for the local model. */
  readonly maxTokens: number;
  /** Threads in which the local model computes. */
  readonly threads: number;
  /** Begins each text of a tool, for models that want it: "passage: ". */
  readonly toolPrefix: string;
  /** Begins each query, for models that want it: "query: ". */
  readonly queryPrefix: string;
  /** Whether url may have a private or loopback address, and begin with http://. */
  readonly allowPrivateIP: boolean;
  /** How long a search waits for the vector of its query; then words alone decide. */
  readonly waitMs: number;
  /** How long the vector of a query may take; if a search did not wait for it, the next one with the same words
   *  has it. */
  readonly queryTimeoutMs: number;
  /** How long a batch of tools may take. */
  readonly timeoutMs: number;
  /** Tools that are embedded together. */
  readonly batchSize: number;
  /** The wait after a failure; twice as long after each further one, up to 5 minutes. */
  readonly retryMs: number;
  /** What is longer of the text of a tool is cut off. */
  readonly maxTextChars: number;
  /** Tools that have a vector, in memory and in the vault; further ones are found by words only. Each takes a
   *  byte per dimension, and a third more in the vault. */
  readonly maxTools: number;
  /** Queries whose vectors are kept in memory. */
  readonly maxQueries: number;
  /** A longer answer of url is refused. */
  readonly maxResponseBytes: number;
  /** How long the vector of a tool is kept in the vault. */
  readonly keepSeconds: number;
}
