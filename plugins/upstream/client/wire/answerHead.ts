import { SMALL_BYTES } from '../../../contracts/memory.ts';

/** Digits of the smallest length that is counted: shorter ones are not decoded. */
const LARGE_DIGITS = String(SMALL_BYTES).length;

/** Status and headers of an HTTP answer, as far as they are used. */
export class AnswerHead {
  status = 0;
  sessionId: string | undefined = undefined;
  location: string | undefined = undefined;
  retryAfter: string | undefined = undefined;
  contentType: string | undefined = undefined;
  /** `Content-Encoding` of a body that is not decoded. */
  contentEncoding: string | undefined = undefined;
  /** Its `WWW-Authenticate` lines. */
  challenges: string[] | undefined = undefined;
  /** Bytes of the whole body, as the server announces it; 0 if it does not, or if it is small. */
  protected announced = 0;

  get isEventStream(): boolean {
    return this.status < 300 && this.contentType?.toLowerCase().startsWith('text/event-stream') === true;
  }

  protected readHead(status: number, headers: readonly Buffer[]): void {
    this.status = status;
    for (let at = 0; at + 1 < headers.length; at += 2)
      this.#header(headers[at] as Buffer, headers[at + 1] as Buffer);
  }

  /** Makes room for the next answer, after a redirect. */
  protected forgetHead(): void {
    this.status = this.announced = 0;
    this.location = this.contentType = this.contentEncoding = undefined;
  }

  #header(name: Buffer, value: Buffer): void {
    // Compares lengths first, so that other headers are not decoded.
    if (name.length === 12 && isNamed(name, 'content-type')) this.contentType = value.toString('latin1');
    else if (name.length === 14 && value.length >= LARGE_DIGITS && isNamed(name, 'content-length'))
      this.announced = Number(value.toString('latin1'));
    else if (name.length === 14 && isNamed(name, 'mcp-session-id')) this.sessionId = value.toString('latin1');
    else if (name.length === 8 && isNamed(name, 'location')) this.location = value.toString('latin1');
    else if (name.length === 11 && isNamed(name, 'retry-after')) this.retryAfter = value.toString('latin1');
    else if (name.length === 16 && isNamed(name, 'content-encoding'))
      this.contentEncoding = joined(this.contentEncoding, value.toString('latin1'));
    else if (name.length === 16 && isNamed(name, 'www-authenticate'))
      (this.challenges ??= []).push(value.toString('latin1'));
  }
}

/** Lines of one header. Source: RFC 9110 §5.3 */
function joined(before: string | undefined, line: string): string {
  return before === undefined ? line : `${before}, ${line}`;
}

function isNamed(name: Buffer, wanted: string): boolean {
  const text = name.toString('latin1');
  return text === wanted || text.toLowerCase() === wanted;
}
