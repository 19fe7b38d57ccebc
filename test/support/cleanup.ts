type End = () => unknown;

let isInTest = false;
const perTest: End[] = [];
const perRun: End[] = [];

/** Runs `end` after the current test (last in, first out); outside a test, in a `before`, after the run. */
export function defer(end: End): void {
  (isInTest ? perTest : perRun).push(end);
}

export function testBegins(): void {
  isInTest = true;
}
export async function testEnds(): Promise<void> {
  isInTest = false;
  await endAll(perTest);
}
export function runEnds(): Promise<void> {
  return endAll(perRun);
}

async function endAll(ends: End[]): Promise<void> {
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
}
