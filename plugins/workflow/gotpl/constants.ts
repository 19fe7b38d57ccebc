import type { NumberNode } from './ast.ts';
import { parseFloatText, parseIntText, parseUintText, MAX_INT64, MIN_INT64 } from './numbers.ts';
import { quote, unquoteUnit } from './quote.ts';

type NumberToken = 'charConstant' | 'complex' | 'number';

/** Reads a number or character constant. @returns Go's error text if it is malformed */
export function parseConstant(type: NumberToken, text: string, pos: number): NumberNode | string {
  if (type === 'charConstant') return charConstant(text, pos);
  if (type === 'complex') return complexConstant(text, pos);
  if (text.endsWith('i')) {
    const imaginary = parseFloatText(text.slice(0, -1));
    if (imaginary !== undefined) return fromComplex(text, pos, 0, imaginary);
  }
  return realConstant(text, pos);
}

function charConstant(text: string, pos: number): NumberNode | string {
  const unit = unquoteUnit(text, 1, "'");
  if (!unit) return 'invalid syntax';
  if (text.slice(unit.next) !== "'") return `malformed character constant: ${text}`;
  const value = BigInt(unit.code);
  return { type: 'number', pos, text, int: value, uint: value, float: unit.code, complex: undefined };
}

function complexConstant(text: string, pos: number): NumberNode | string {
  const split = splitComplex(text);
  const re = parseFloatText(text.slice(0, split));
  const im = parseFloatText(text.slice(split, -1));
  if (re === undefined || im === undefined) return `illegal number syntax: ${quote(text)}`;
  return fromComplex(text, pos, re, im);
}

function splitComplex(text: string): number {
  for (let i = text.length - 1; i > 0; i--) {
    const before = (text[i - 1] ?? '').toLowerCase();
    if ((text[i] === '+' || text[i] === '-') && before !== 'e' && before !== 'p') return i;
  }
  return 0;
}

function fromComplex(text: string, pos: number, re: number, im: number): NumberNode {
  const float = im === 0 ? re : undefined;
  return { type: 'number', pos, text, ...integersOf(float), float, complex: [re, im] };
}

function realConstant(text: string, pos: number): NumberNode | string {
  let uint = parseUintText(text, 0, 64);
  const int = parseIntText(text, 0, 64);
  if (int === 0n) uint = 0n;
  const whole = int ?? uint;
  if (whole !== undefined) {
    return { type: 'number', pos, text, int, uint, float: Number(whole), complex: undefined };
  }
  const float = parseFloatText(text);
  if (float === undefined) return `illegal number syntax: ${quote(text)}`;
  if (!/[.eEpP]/.test(text)) return `integer overflow: ${quote(text)}`;
  return { type: 'number', pos, text, ...integersOf(float), float, complex: undefined };
}

function integersOf(float: number | undefined): Pick<NumberNode, 'int' | 'uint'> {
  if (float === undefined || !Number.isInteger(float)) return { int: undefined, uint: undefined };
  const value = BigInt(float);
  return {
    int: value >= MIN_INT64 && value <= MAX_INT64 ? value : undefined,
    uint: value >= 0n && value < 1n << 64n ? value : undefined,
  };
}
