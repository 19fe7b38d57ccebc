/** Loaded into a measured gateway with --import: collects garbage on request and reports the remaining heap. */
export interface HeapReading {
  readonly heapBytes: number;
  readonly rssBytes: number;
}

process.on('message', () => {
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send?.({ heapBytes: heapUsed + external, rssBytes: rss } satisfies HeapReading);
});
process.channel?.unref();
