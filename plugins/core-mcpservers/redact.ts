import { GatewayError } from 'pegboard';

export const REDACTED = '[redacted]';

/** References are no secrets, nor are the scheme words of an Authorization header. */
const ONLY_REFERENCES = /^((Bearer|Basic|Token) )?(\$\{(env|file):[^${}]+\})+$/i;

/** A parameter of a url whose name says that its value is secret. */
const SECRET_PARAMETER = /([?&])([^=&#]*(?:key|token|secret|password|auth|sig|code)[^=&#]*)=([^&#]*)/gi;

type Texts = Readonly<Record<string, string>>;

/** Values of env or headers as they may be shown (decision D19). */
export function redact(values: Texts): Texts {
  const shown = Object.entries(values).map(([key, value]) => [
    key,
    ONLY_REFERENCES.test(value) ? value : REDACTED,
  ]);
  return Object.fromEntries(shown) as Texts;
}

/** What was shown redacted and comes back unchanged keeps its stored value.
 *  @throws GatewayError TOOL_ARGUMENTS when there is no stored value */
export function restore(field: string, values: Texts, stored: Texts): Texts {
  const restored = Object.entries(values).map(([key, value]) => {
    if (value !== REDACTED) return [key, value];
    if (Object.hasOwn(stored, key)) return [key, stored[key]];
    throw new GatewayError(
      'TOOL_ARGUMENTS',
      `${field}.${key} is ${REDACTED}, but no value of it is stored; send the value`,
    );
  });
  return Object.fromEntries(restored) as Texts;
}

export function redactUrl(url: string): string {
  return url.replace(SECRET_PARAMETER, `$1$2=${REDACTED}`);
}

/** As restore(), for the parameters of a url. @throws GatewayError TOOL_ARGUMENTS when there is no stored value */
export function restoreUrl(url: string, stored: string): string {
  const storedByName = new Map(
    [...stored.matchAll(SECRET_PARAMETER)].map(([, , name, value]) => [name, value]),
  );
  return url.replace(SECRET_PARAMETER, (whole, mark: string, name: string, value: string) => {
    if (value !== REDACTED && value !== encodeURIComponent(REDACTED)) return whole;
    const kept = storedByName.get(name);
    if (kept !== undefined) return `${mark}${name}=${kept}`;
    const text = `parameter ${name} of url is ${REDACTED}, but no value of it is stored; send the value`;
    throw new GatewayError('TOOL_ARGUMENTS', text);
  });
}
