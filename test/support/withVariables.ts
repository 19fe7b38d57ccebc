import { defer } from './cleanup.ts';

const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'];

/** Sets variables of this process until the test ends, and unsets those of proxies that are not among them. */
export function withVariables(values: Readonly<Record<string, string>>): void {
  const names = [...PROXIES, ...PROXIES.map((name) => name.toLowerCase()), ...Object.keys(values)];
  for (const name of new Set(names)) {
    const former = process.env[name];
    put(name, values[name]);
    defer(() => put(name, former));
  }
}

function put(name: string, value: string | undefined): void {
  if (value === undefined) Reflect.deleteProperty(process.env, name);
  else process.env[name] = value;
}
