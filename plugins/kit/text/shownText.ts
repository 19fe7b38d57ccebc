import { escapeUnprintable } from 'pegboard';
import type { Invocation } from 'pegboard';

type Terminal = Invocation['terminal'];

interface Shielded extends Terminal {
  readonly drawn: Terminal;
}

/** Lines and tabs as they are; escapes for what a terminal would obey, and for what is invisible or reorders the text around it. */
export function shownText(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(/[^\n\t]+/g, (line) => escapeUnprintable(line));
}

/** The terminal, for texts of servers: what people see is escaped, what a program reads from standard output is not. */
export function shielded(terminal: Terminal): Shielded {
  return {
    ...terminal,
    out: (text) => terminal.out(terminal.isTerminal ? shownText(text) : text),
    err: (text) => terminal.err(shownText(text)),
    drawn: terminal,
  };
}

/** The terminal itself, for colours and for lines that are overwritten. */
export function unshielded(terminal: Terminal): Terminal {
  return 'drawn' in terminal ? (terminal as Shielded).drawn : terminal;
}
