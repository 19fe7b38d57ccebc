/** The same server over standard input and output: one write per chunk read, however many messages it holds. */
import { answerTo } from './echo.ts';

let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk: string) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  let out = '';
  for (const line of lines) {
    const answer = line === '' ? undefined : answerTo(line);
    if (answer !== undefined) out += `${answer}\n`;
  }
  if (out !== '') process.stdout.write(out);
});
process.stdin.on('end', () => process.exit(0));
