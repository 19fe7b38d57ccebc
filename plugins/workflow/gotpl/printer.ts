import { textOfBytes } from './byteList.ts';
import { byteLength, runeCount, toBytes } from './bytes.ts';
import type { Env } from './env.ts';
import { GoTime } from './goTime.ts';
import { getKey, isMap, sortedKeys } from './maps.ts';
import { noFlags } from './flags.ts';
import { charOf, floatText, padInteger, runeOf, withDecimalPoint } from './formatNumber.ts';
import { canBackquote, quote, quoteRune } from './quote.ts';
import { isPrintable } from './unicode.ts';
import {
  Complex,
  floatOf,
  Int,
  isFlexible,
  isNil,
  itemsOf,
  NamedInt,
  Stringer,
  TypedList,
  typeName,
} from './values.ts';
import type { Dict, StringMap } from './values.ts';

const TEXT_VERBS = 'vsxXq';

/** Prints values with Go's verbs. */
export class Printer {
  text = '';
  flags = noFlags();
  private readonly env: Env;
  private isErroring = false;

  constructor(env: Env) {
    this.env = env;
  }

  write(text: string): void {
    this.text += text;
    this.env.checkString(this.text.length);
  }

  /** Prints a top-level operand. */
  print(value: unknown, verb: string): this {
    if (isNil(value)) {
      if (verb === 'T' || verb === 'v') this.pad('<nil>');
      else this.badVerb(verb, value);
      return this;
    }
    if (verb === 'T') this.padText(typeName(value));
    else if (verb === 'p') this.pointer(value);
    else this.value(value, verb, 0);
    return this;
  }

  private value(value: unknown, verb: string, depth: number): void {
    this.env.checkDepth(depth);
    this.env.charge(1);
    const number = floatOf(value);
    if (typeof value === 'string') this.string(value, verb);
    else if (typeof value === 'boolean') this.bool(value, verb);
    else if (number !== undefined) this.number(value, number, verb);
    else if (value instanceof Int) this.integer(value.value, value.typeName.startsWith('u'), verb, value);
    else if (value instanceof Stringer) this.stringer(value, verb);
    else if (value instanceof Complex) this.complex(value, verb);
    else if (isMap(value)) this.map(value, verb, depth);
    else this.list(value, itemsOf(value) ?? [], verb, depth);
  }

  // A nil element prints the same under every verb, without padding.
  private element(value: unknown, verb: string, depth: number): void {
    if (!isNil(value)) this.value(value, verb, depth + 1);
    else this.write(this.flags.sharpV ? 'interface {}(nil)' : '<nil>');
  }

  private list(value: unknown, items: readonly unknown[], verb: string, depth: number): void {
    const { sharpV } = this.flags;
    const text = 'sqxX'.includes(verb) ? textOfBytes(value) : undefined;
    if (text !== undefined) {
      this.string(text, verb);
      return;
    }
    if (sharpV && value instanceof TypedList && value.isNil) {
      this.write(`${typeName(value)}(nil)`);
      return;
    }
    this.write(sharpV ? `${typeName(value)}{` : '[');
    items.forEach((item, i) => {
      if (i > 0) this.write(sharpV ? ', ' : ' ');
      this.element(item, verb, depth);
    });
    this.write(sharpV ? '}' : ']');
  }

  private map(value: Dict | StringMap, verb: string, depth: number): void {
    const { sharpV } = this.flags;
    this.write(sharpV ? `${typeName(value)}{` : 'map[');
    sortedKeys(value).forEach((key, i) => {
      if (i > 0) this.write(sharpV ? ', ' : ' ');
      this.string(key, verb);
      this.write(':');
      this.element(getKey(value, key), verb, depth);
    });
    this.write(sharpV ? '}' : ']');
  }

  private stringer(value: Stringer, verb: string): void {
    const isNamed = value instanceof NamedInt;
    if (isNamed && (this.isErroring || !TEXT_VERBS.includes(verb)))
      this.integer(value.value, false, verb, value);
    else if (this.flags.sharpV && !this.isErroring) this.padText(value.goText());
    else if (TEXT_VERBS.includes(verb)) this.string(value.text(), verb);
    else if (value instanceof GoTime && 'bdo'.includes(verb)) this.fieldsOf(value, verb);
    else this.badVerb(verb, value);
  }

  /** As Go keeps a time: nanoseconds, seconds since the year 1, and the address of its zone. */
  private fieldsOf(time: GoTime, verb: string): void {
    for (const [at, field] of time.fields().entries()) {
      this.write(at === 0 ? '{' : ' ');
      this.integer(field, false, verb, time);
    }
    this.write('}');
  }

  private bool(value: boolean, verb: string): void {
    if (verb === 't' || verb === 'v') this.pad(value ? 'true' : 'false');
    else this.badVerb(verb, value);
  }

  private complex(value: Complex, verb: string): void {
    if (!'vbgGxXfFeE'.includes(verb)) {
      this.badVerb(verb, value);
      return;
    }
    const { plus } = this.flags;
    this.write('(');
    this.float(value.re, verb, value);
    this.flags.plus = true;
    this.float(value.im, verb, value);
    this.flags.plus = plus;
    this.write('i)');
  }

  private string(value: string, verb: string): void {
    if (verb === 's' || (verb === 'v' && !this.flags.sharpV)) this.padText(value);
    else if (verb === 'v' || verb === 'q') this.quoted(value);
    else if (verb === 'x' || verb === 'X') this.hexText(value, verb === 'X');
    else this.badVerb(verb, value);
  }

  private quoted(value: string): void {
    const text = this.truncate(value);
    if (this.flags.sharp && canBackquote(text)) this.pad(`\`${text}\``);
    else this.pad(quote(text, this.flags.plus));
  }

  private hexText(value: string, isUpper: boolean): void {
    const { precision, width, space, sharp } = this.flags;
    const bytes = toBytes(value).subarray(0, precision ?? byteLength(value));
    if (bytes.length === 0) {
      if (width !== undefined) this.padding(width);
      return;
    }
    const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'));
    const prefix = sharp ? '0x' : '';
    const text = prefix + digits.join(space ? ` ${prefix}` : '');
    this.pad(isUpper ? text.toUpperCase() : text);
  }

  private number(value: unknown, number: number, verb: string): void {
    if (isFlexible(value, this.env.lenient) && 'vdboOxXcqU'.includes(verb)) {
      this.integer(BigInt(value), false, verb, value);
    } else {
      this.float(number, verb, value);
    }
  }

  private float(number: number, verb: string, value: unknown): void {
    const { precision } = this.flags;
    const text = floatText(number, verb, precision);
    if (text === undefined) this.badVerb(verb, value);
    else this.padFloat(text, verb, precision ?? ('feEF'.includes(verb) ? 6 : -1));
  }

  private padFloat(text: string, verb: string, precision: number): void {
    const { plus, space, width, minus } = this.flags;
    let sign = text.startsWith('-') ? '-' : '+';
    let body = text.replace(/^[+-]/, '');
    if (space && sign === '+' && !plus) sign = ' ';
    if (body === 'Inf' || body === 'NaN') {
      const showsSign = body === 'Inf' || plus || space;
      this.pad((showsSign ? sign : '') + body, true);
      return;
    }
    if (this.flags.sharp && verb !== 'b') body = withDecimalPoint(body, verb, precision);
    const isPlain = !plus && sign === '+';
    const fillsZeros =
      !isPlain && this.flags.zero && !minus && width !== undefined && width > body.length + 1;
    if (fillsZeros) this.write(sign + body.padStart(width - 1, '0'));
    else this.pad(isPlain ? body : sign + body);
  }

  private integer(value: bigint, isUnsigned: boolean, verb: string, original: unknown): void {
    if (verb === 'c') this.pad(charOf(value));
    else if (verb === 'q') this.pad(quoteRune(runeOf(value), this.flags.plus));
    else if (verb === 'U') this.pad(this.unicode(BigInt.asUintN(64, value)), true);
    else if (verb === 'v' && this.flags.sharpV && isUnsigned) this.pad(`0x${value.toString(16)}`, true);
    else if ('vdboOxX'.includes(verb)) this.pad(padInteger(value, verb, this.flags), true);
    else this.badVerb(verb, original);
  }

  private unicode(value: bigint): string {
    const { precision, sharp } = this.flags;
    const digits = value
      .toString(16)
      .toUpperCase()
      .padStart(Math.max(precision ?? 4, 4), '0');
    if (!sharp || value > 0x10ffffn) return `U+${digits}`;
    const char = charOf(value);
    return isPrintable(char) ? `U+${digits} '${char}'` : `U+${digits}`;
  }

  // Go prints an address for maps, lists and pointers; here there are no addresses.
  private pointer(value: unknown): void {
    const isReference = isMap(value) || itemsOf(value) !== undefined || typeName(value).startsWith('*');
    if (isReference) this.pad('0xc000000000');
    else this.badVerb('p', value);
  }

  private badVerb(verb: string, value: unknown): void {
    const wasErroring = this.isErroring;
    this.isErroring = true;
    this.write(`%!${verb}(`);
    if (isNil(value)) {
      this.write('<nil>');
    } else {
      this.write(`${typeName(value)}=`);
      this.isErroring = value instanceof NamedInt;
      this.print(value, 'v');
    }
    this.isErroring = wasErroring;
    this.write(')');
  }

  private truncate(text: string): string {
    const { precision } = this.flags;
    if (precision === undefined || text.length <= precision) return text;
    return Array.from(text).slice(0, precision).join('');
  }

  private padText(text: string): void {
    this.pad(this.truncate(text));
  }

  private pad(text: string, neverZero = false): void {
    const { width, minus, zero } = this.flags;
    const missing = width === undefined ? 0 : width - runeCount(text);
    if (missing > 0) this.env.checkString(this.text.length + missing);
    const fill = (zero && !minus && !neverZero ? '0' : ' ').repeat(Math.max(missing, 0));
    this.write(minus ? text + fill : fill + text);
  }

  private padding(width: number): void {
    this.env.checkString(this.text.length + width);
    this.write((this.flags.zero && !this.flags.minus ? '0' : ' ').repeat(width));
  }
}
