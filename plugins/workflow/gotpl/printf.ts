import type { Env } from './env.ts';
import { noFlags } from './flags.ts';
import { Printer } from './printer.ts';
import { integerOf, isFlexible, isNil, typeName } from './values.ts';

const MAX_NUMBER = 1_000_000;

/** Go's fmt.Sprintf. */
export function sprintf(format: string, args: readonly unknown[], env: Env): string {
  return new Formatter(format, args, env).run();
}

class Formatter {
  private readonly format: string;
  private readonly args: readonly unknown[];
  private readonly env: Env;
  private readonly printer: Printer;
  private at = 0;
  private argument = 0;
  private isReordered = false;
  private isGoodIndex = true;
  private afterIndex = false;

  constructor(format: string, args: readonly unknown[], env: Env) {
    this.format = format;
    this.args = args;
    this.env = env;
    this.printer = new Printer(env);
  }

  run(): string {
    while (this.at < this.format.length) {
      const percent = this.format.indexOf('%', this.at);
      const end = percent < 0 ? this.format.length : percent;
      if (end > this.at) this.printer.write(this.format.slice(this.at, end));
      this.at = end + 1;
      if (percent >= 0) this.directive();
    }
    if (!this.isReordered && this.argument < this.args.length) this.extra();
    return this.printer.text;
  }

  private directive(): void {
    this.printer.flags = noFlags();
    this.isGoodIndex = true;
    this.afterIndex = false;
    this.readFlags();
    this.readIndex();
    this.readWidth();
    if (this.format[this.at] === '.' && this.at + 1 < this.format.length) this.readPrecision();
    this.readLateIndex();
    const code = this.format.codePointAt(this.at);
    if (code === undefined) {
      this.printer.write('%!(NOVERB)');
      return;
    }
    const verb = String.fromCodePoint(code);
    this.at += verb.length;
    this.print(verb);
  }

  private print(verb: string): void {
    const problem = this.problem(verb);
    if (problem !== undefined) {
      this.printer.write(problem);
      return;
    }
    if (verb === 'v') this.markVerbose();
    this.printer.print(this.args[this.argument++], verb);
  }

  /** The text written in place of an argument that is missing or misused; `%%` consumes no argument. */
  private problem(verb: string): string | undefined {
    if (verb === '%') return '%';
    if (!this.isGoodIndex) return `%!${verb}(BADINDEX)`;
    return this.argument >= this.args.length ? `%!${verb}(MISSING)` : undefined;
  }

  // %#v and %+v print Go syntax and field names; sharp and plus do not reach the elements.
  private markVerbose(): void {
    const { flags } = this.printer;
    flags.sharpV = flags.sharp;
    flags.plusV = flags.plus;
    flags.sharp = flags.plus = false;
  }

  private readFlags(): void {
    const { flags } = this.printer;
    for (; ; this.at++) {
      switch (this.format[this.at]) {
        case '#':
          flags.sharp = true;
          break;
        case '0':
          flags.zero = true;
          break;
        case '+':
          flags.plus = true;
          break;
        case '-':
          flags.minus = true;
          break;
        case ' ':
          flags.space = true;
          break;
        default:
          return;
      }
    }
  }

  private readIndex(): void {
    this.afterIndex = false;
    if (this.format[this.at] !== '[') return;
    this.isReordered = true;
    const close = this.format.indexOf(']', this.at);
    if (close < 0) {
      this.isGoodIndex = false;
      this.at++;
      return;
    }
    const text = this.format.slice(this.at + 1, close);
    const index = /^\d{1,7}$/.test(text) && Number(text) <= MAX_NUMBER ? Number(text) - 1 : undefined;
    this.at = close + 1;
    this.afterIndex = index !== undefined;
    if (index === undefined || index < 0 || index >= this.args.length) this.isGoodIndex = false;
    else this.argument = index;
  }

  // An argument index may also directly precede the verb.
  private readLateIndex(): void {
    if (!this.afterIndex) this.readIndex();
  }

  private readNumber(): number | undefined {
    const digits = /\d*/y;
    digits.lastIndex = this.at;
    const text = digits.exec(this.format)?.[0] ?? '';
    if (text === '') return undefined;
    this.at += text.length;
    if (Number(text) <= MAX_NUMBER) return Number(text);
    // Go drops the number and treats the next character as the verb.
    this.at = this.format.length;
    return undefined;
  }

  private readWidth(): void {
    const { flags } = this.printer;
    if (this.format[this.at] !== '*') {
      flags.width = this.readNumber();
      if (this.afterIndex && flags.width !== undefined) this.isGoodIndex = false;
      return;
    }
    this.at++;
    flags.width = this.numberFromArgument();
    if (flags.width === undefined) this.printer.write('%!(BADWIDTH)');
    else if (flags.width < 0) {
      flags.width = -flags.width;
      flags.minus = true;
      flags.zero = false;
    }
    this.afterIndex = false;
  }

  private readPrecision(): void {
    const { flags } = this.printer;
    this.at++;
    if (this.afterIndex) this.isGoodIndex = false;
    this.readIndex();
    if (this.format[this.at] !== '*') {
      flags.precision = this.readNumber() ?? 0;
      return;
    }
    this.at++;
    const precision = this.numberFromArgument();
    flags.precision = precision === undefined || precision < 0 ? undefined : precision;
    if (flags.precision === undefined) this.printer.write('%!(BADPREC)');
    this.afterIndex = false;
  }

  private numberFromArgument(): number | undefined {
    if (this.argument >= this.args.length) return undefined;
    const value = this.args[this.argument++];
    const integral = integerOf(value);
    const number = isFlexible(value, this.env.lenient)
      ? value
      : integral === undefined
        ? undefined
        : Number(integral);
    return number === undefined || Math.abs(number) > MAX_NUMBER ? undefined : number;
  }

  private extra(): void {
    this.printer.flags = noFlags();
    this.printer.write('%!(EXTRA ');
    this.args.slice(this.argument).forEach((value, i) => {
      if (i > 0) this.printer.write(', ');
      if (isNil(value)) this.printer.write('<nil>');
      else {
        this.printer.write(`${typeName(value)}=`);
        this.printer.print(value, 'v');
      }
    });
    this.printer.write(')');
  }
}
