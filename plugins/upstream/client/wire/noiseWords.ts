const ONE_PER_LINE = 'MCP over stdio takes one message in each line';

/** What is wrong with standard output, by its first line that is not a message. */
export function noiseWords(line: string): string {
  const wrote = `it wrote on standard output: ${line}`;
  if (/^content-length\s*:/i.test(line))
    return `${wrote} – headers before each message, as language servers write them; ${ONE_PER_LINE}, without headers`;
  if (/^[[{]\s*$/.test(line)) return `${wrote} – JSON over several lines; ${ONE_PER_LINE}`;
  if (!/^\s*[[{]/.test(line) && /\{\s*"(?:jsonrpc|id|result)"\s*:/.test(line))
    return `${wrote} – a text before the message in its line; such texts belong on standard error`;
  return `${wrote} – which is not a message; such texts belong on standard error`;
}
