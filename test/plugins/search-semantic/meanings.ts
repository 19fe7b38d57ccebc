import { json } from 'node:stream/consumers';
import { serveWithOutages } from '../../support/serveWithOutages.ts';
import type { OutageServer } from '../../support/serveWithOutages.ts';

/** A number of the vector for each line: words of one meaning. */
const MEANINGS = [
  ['invoice', 'bill', 'owes', 'debt'],
  ['weather', 'forecast', 'umbrella', 'rain'],
  ['mail', 'letter', 'inbox', 'correspondence'],
  ['backup', 'snapshot', 'copy'],
];

export interface EmbeddingsRequest {
  readonly model: string;
  readonly input: readonly string[];
  readonly authorization: string | undefined;
}
export interface MeaningsServer extends OutageServer {
  readonly embeddings: string;
  readonly asked: EmbeddingsRequest[];
  /** All texts that were asked for. */
  readonly texts: () => readonly string[];
  /** Length of its vectors from now on. */
  lengthen(length: number): void;
}

/** An OpenAI-compatible address on loopback whose vectors know a few words. */
export async function startMeanings(): Promise<MeaningsServer> {
  const asked: EmbeddingsRequest[] = [];
  let length = 8;
  const server = await serveWithOutages(async (req, res) => {
    const { model, input } = (await json(req)) as Pick<EmbeddingsRequest, 'model' | 'input'>;
    asked.push({ model, input, authorization: req.headers.authorization });
    const data = input.map((text, index) => ({
      object: 'embedding',
      index,
      embedding: vectorOf(text, length),
    }));
    // The order of an answer is not that of its texts: they have an index.
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify({ object: 'list', model, data: data.toReversed() }));
  });
  return {
    ...server,
    embeddings: `${server.url}/v1/embeddings`,
    asked,
    texts: () => asked.flatMap(({ input }) => input),
    lengthen: (next) => void (length = next),
  };
}

function vectorOf(text: string, length: number): readonly number[] {
  const words = text.toLowerCase();
  return Array.from({ length }, (_, at) =>
    at < MEANINGS.length
      ? (MEANINGS[at] ?? []).filter((word) => words.includes(word)).length + 0.01
      : 0.001 * at,
  );
}
