import { formatShortest } from './formatFloat.ts';
import type { Env } from './env.ts';
import { Printer } from './printer.ts';
import { Float, Int, isFlexible } from './values.ts';

/** One value as Go's %v prints it. */
export function formatValue(value: unknown, env: Env): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return isFlexible(value, env.lenient) ? String(value) : formatShortest(value);
    case 'boolean':
      return value ? 'true' : 'false';
    default:
      if (value instanceof Int) return value.value.toString();
      if (value instanceof Float) return formatShortest(value.value);
      return new Printer(env).print(value, 'v').text;
  }
}

/** Go's fmt.Sprint: a space between two operands unless one of them is a string. */
export function sprint(args: readonly unknown[], env: Env): string {
  const [only] = args;
  if (args.length === 1) return formatValue(only, env);
  let text = '';
  args.forEach((arg, i) => {
    if (i > 0 && typeof arg !== 'string' && typeof args[i - 1] !== 'string') text += ' ';
    text += formatValue(arg, env);
    env.checkString(text.length);
  });
  return text;
}

/** Go's fmt.Sprintln. */
export function sprintln(args: readonly unknown[], env: Env): string {
  let text = '';
  args.forEach((arg, i) => {
    text += (i > 0 ? ' ' : '') + formatValue(arg, env);
    env.checkString(text.length);
  });
  return text + '\n';
}
