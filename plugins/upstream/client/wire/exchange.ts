import type { Socket } from 'node:net';
import { messageOf } from 'pegboard';
import type { Dispatcher } from 'undici';
import { AnswerHead } from './answerHead.ts';
import { BodyDecoder } from './bodyDecoder.ts';
import { EventReader } from './eventReader.ts';
import type { StreamEvent } from './eventReader.ts';
import { SMALL_BYTES } from '../../../contracts/memory.ts';
import type { MemoryShare } from '../../../contracts/memory.ts';
import { HttpRequest } from './httpRequest.ts';
import type { RequestParts } from './httpRequest.ts';
import type { SocketFlow } from './socketFlow.ts';
import type { Carrier } from './wire.ts';

/** Receives the events of an exchange; exactly one of `answered`, `streamEnded`, `broken` ends it. */
export interface ExchangeOwner<T> {
  readonly maxMessageBytes: number;
  readonly maxEventIdBytes: number;
  /** The budget of what its event streams bring unasked, and its sockets. */
  readonly flow: SocketFlow;
  /** The request is about to be sent. */
  begun(about: T): void;
  /** Status and headers have arrived; used by streams and sessions only. */
  head(about: T, exchange: Exchange<T>): void;
  /** One event of an event stream. @returns how many unsolicited messages it has */
  event(about: T, event: StreamEvent): number;
  answered(about: T, exchange: Exchange<T>, body: string): void;
  streamEnded(about: T, exchange: Exchange<T>): void;
  broken(about: T, exchange: Exchange<T>, error: Error): void;
  /** The memory that its large messages take. */
  memory?(about: T): MemoryShare | undefined;
  /** A message on a stream of several requests was given up for want of memory. @param ends its first and last characters */
  givenUp?(ends: string, error: Error): void;
  /** Its request was answered or abandoned. */
  released?(about: T, exchange: Exchange<T>, isAnswered: boolean): void;
}

/** One HTTP request and its response: a handler for undici's dispatch, without the streams of its other interfaces. */
export class Exchange<T> extends AnswerHead implements Carrier {
  stream: EventReader | undefined = undefined;
  /** Called when the exchange has ended, in any way. */
  whenOver: (() => void) | undefined = undefined;
  /** Why a body in `contentEncoding` is unreadable; undefined if that is unknown here, or identity. */
  decodingFault: string | undefined = undefined;
  readonly #owner: ExchangeOwner<T>;
  #about: T | undefined;
  /** The request until its answer has arrived. */
  #request: HttpRequest | undefined;
  #pool: Dispatcher | undefined;
  #first: Buffer | undefined;
  #more: Buffer[] | undefined;
  #bytes = 0;
  #abort: ((error?: Error) => void) | undefined;
  /** The socket that it is read from, and whether this exchange has it left unread. */
  #socket: Socket | undefined;
  #held: Socket | undefined;
  #decoder: BodyDecoder | undefined;
  /** Reported after what has arrived was decoded. */
  #breakage: Error | undefined;
  /** Reasons why the socket is not read: memory, and a busy decoder. */
  #holds = 0;
  #isComplete = false;
  #share: MemoryShare | undefined = undefined;
  #isWaiting = false;
  /** The owner is not called any more. */
  #isDropped = false;

  constructor(owner: ExchangeOwner<T>, about: T) {
    super();
    this.#owner = owner;
    this.#about = about;
  }

  /** Sends the request; the owner also receives errors about it. */
  send(pool: Dispatcher, parts: RequestParts): void {
    this.#pool = pool;
    this.#request = new HttpRequest(parts);
    pool.dispatch(this.#request, this);
  }

  /** Aborts the exchange; the owner is not called any more. */
  drop(): void {
    this.#isDropped = true;
    this.#share?.size(0);
    this.#decoder?.destroy();
    this.#abort?.();
    this.whenOver?.();
  }

  release(isAnswered: boolean): void {
    if (this.#about !== undefined) this.#owner.released?.(this.#about, this, isAnswered);
  }

  onConnect(abort: (error?: Error) => void): void {
    this.#abort = abort;
    if (this.#isDropped) abort();
    else this.#owner.begun(this.#about as T);
  }

  onHeaders(status: number, headers: readonly Buffer[]): boolean {
    if (status < 200) return true;
    this.readHead(status, headers);
    // Later it may be another one: an answer to a ping makes undici read a second socket meanwhile.
    this.#socket = this.#owner.flow.reading;
    if (this.isEventStream) this.#openStream();
    if (this.#request?.redirected(status, this.location) === true) return true;
    if (this.contentEncoding !== undefined) this.#decode(this.contentEncoding);
    this.#owner.head(this.#about as T, this);
    if (this.announced > this.#owner.maxMessageBytes) this.#tooLong();
    else if (this.stream === undefined && this.announced > SMALL_BYTES) this.#grow(this.announced);
    return true;
  }

  #decode(encoding: string): void {
    this.#decoder = BodyDecoder.forEncoding(encoding, {
      data: (piece) => void this.#take(piece),
      full: () => this.#pause(),
      drained: () => this.#goOn(),
      end: () => this.#decoded(),
      failed: (error) => {
        this.contentEncoding = encoding;
        this.decodingFault = messageOf(error);
        this.#first = this.#more = undefined;
        this.#decoded();
      },
    });
    if (this.#decoder === undefined) return;
    this.contentEncoding = undefined;
    // What is counted is what it becomes.
    this.announced = 0;
  }

  #openStream(): void {
    const { maxMessageBytes: maxChars, maxEventIdBytes: maxIdBytes, flow } = this.#owner;
    const take = (event: StreamEvent): number =>
      this.#isDropped ? 0 : this.#owner.event(this.#about as T, event);
    this.stream = new EventReader({ maxChars, maxIdBytes, flow, take, overflow: () => this.#tooLong() });
  }

  onData(chunk: Buffer): boolean {
    if (this.#request?.isRedirected === true) return true;
    if (this.#decoder === undefined) return this.#take(chunk);
    this.#decoder.write(chunk);
    return true;
  }

  #take(chunk: Buffer): boolean {
    if (this.stream !== undefined) {
      this.stream.push(chunk);
      this.#grow(this.stream.chars);
      if (this.#holds === 0 && this.#owner.flow.isAhead) this.#giveTurn();
      return true;
    }
    this.#bytes += chunk.length;
    if (this.#bytes > this.#owner.maxMessageBytes) {
      this.#tooLong();
      return false;
    }
    if (this.#first === undefined) this.#first = chunk;
    else (this.#more ??= []).push(chunk);
    if (this.announced === 0) this.#grow(this.#bytes);
    return true;
  }

  /** Reads nothing more in this turn of the event loop. */
  #giveTurn(): void {
    this.#pause();
    setImmediate(() => this.#goOn());
  }

  /** Counts what a message takes; the rest is read when there is room. */
  #grow(bytes: number): void {
    // What an exchange takes after its end is never given back.
    if (this.#isDropped || (this.#share === undefined && bytes <= SMALL_BYTES)) return;
    this.#share ??= this.#owner.memory?.(this.#about as T);
    if (this.#share === undefined || this.#share.size(bytes) || this.#isWaiting) return;
    this.#isWaiting = true;
    this.#decoder?.pause();
    this.#pause();
    const done = (error?: Error): void => {
      this.#isWaiting = false;
      if (error !== undefined && !this.#isDropped) this.#giveUp(error);
      this.#goOn();
    };
    this.#share.room().then(() => done(), done);
  }

  #giveUp(error: Error): void {
    if (this.#owner.givenUp === undefined || this.stream === undefined) {
      this.#break(error);
      return;
    }
    this.#share?.size(0);
    this.stream.skip((ends) => this.#owner.givenUp?.(ends, error));
  }

  #pause(): void {
    if (this.#holds++ > 0) return;
    // A socket that has sent everything belongs to other exchanges.
    this.#held = this.#decoder?.hasAll === true ? undefined : this.#socket;
    this.#owner.flow.hold(this.#held);
  }

  #goOn(): void {
    this.#holds -= 1;
    if (!this.#isWaiting) this.#decoder?.resume();
    if (this.#holds > 0) return;
    this.#owner.flow.letGo(this.#held);
    if (this.#isComplete) this.#complete();
  }

  onComplete(): void {
    if (this.#decoder === undefined) this.#complete();
    else this.#decoder.end();
  }

  #decoded(): void {
    if (this.#breakage === undefined) this.#complete();
    else this.#broken(this.#breakage);
  }

  #complete(): void {
    this.#isComplete = true;
    if (this.#isDropped || this.#holds > 0) return;
    if (this.#request?.isRedirected === true) {
      this.#sendAgain(this.#request);
      return;
    }
    if (this.decodingFault === undefined) this.stream?.push(Buffer.from('\n\n'));
    const about = this.#over();
    if (this.stream === undefined) this.#owner.answered(about, this, this.#body());
    else this.#owner.streamEnded(about, this);
    this.#share?.size(0);
  }

  onError(error: Error): void {
    this.#breakage = error;
    if (this.#decoder === undefined || this.#isDropped) this.#broken(error);
    else this.#decoder.end();
  }

  #broken(error: Error): void {
    if (!this.#isDropped) this.#owner.broken(this.#over(), this, error);
    this.#share?.size(0);
  }

  #sendAgain(request: HttpRequest): void {
    this.#isComplete = false;
    this.forgetHead();
    this.#pool?.dispatch(request, this);
  }

  /** undici keeps requests after their responses: they must not retain the call until the next major collection (decision D55). */
  #over(): T {
    const about = this.#about as T;
    this.#about = this.#request = this.#pool = undefined;
    this.#isDropped = true;
    this.#decoder?.destroy();
    if (this.decodingFault !== undefined) this.#abort?.();
    this.whenOver?.();
    return about;
  }

  #tooLong(): void {
    this.#break(new Error(`the answer is longer than ${this.#owner.maxMessageBytes} bytes`));
  }

  #break(error: Error): void {
    this.#decoder?.destroy();
    this.#decoder = undefined;
    this.#abort?.(error);
    // What has arrived completely cannot be aborted.
    this.onError(error);
  }

  #body(): string {
    if (this.#first === undefined) return '';
    return (this.#more === undefined ? this.#first : Buffer.concat([this.#first, ...this.#more])).toString(
      'utf8',
    );
  }
}
