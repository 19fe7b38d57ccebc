import { byteList } from './byteList.ts';
import { CallError } from './errors.ts';
import { quoteJson } from './funcs/jsonWrite.ts';
import { func } from './signature.ts';
import type { FuncTable, GoFunc } from './signature.ts';
import { int, Int } from './values.ts';
import type { Version } from './version.ts';

/** The methods of a version that leave it as it is; those of Go's pointer only where it is one. */
export function versionMethods(self: Version): FuncTable {
  return self.isPointer ? { ...methodsOfValue(self), ...methodsOfPointer(self) } : methodsOfValue(self);
}

function methodsOfValue(self: Version): FuncTable {
  const { major, minor, patch, prerelease, metadata } = self.fields;
  return {
    Major: func([], () => new Int('uint64', major)),
    Minor: func([], () => new Int('uint64', minor)),
    Patch: func([], () => new Int('uint64', patch)),
    Prerelease: func([], () => prerelease),
    Metadata: func([], () => metadata),
    String: func([], () => self.text()),
    Value: func([], () => self.text()),
    MarshalText: func([], (env) => byteList(self.text(), env)),
    MarshalJSON: func([], (env) => byteList(quoteJson(self.text(), true), env)),
    IncMajor: func([], () => self.next('major')),
    IncMinor: func([], () => self.next('minor')),
    IncPatch: func([], () => self.next('patch')),
    SetPrerelease: func(['string'], (_env, text) => self.withPrerelease(text)),
    SetMetadata: func(['string'], (_env, text) => self.withMetadata(text)),
  };
}

function methodsOfPointer(self: Version): FuncTable {
  return {
    Original: func([], () => self.fields.original),
    Compare: compared(self, (order) => int(order)),
    Equal: compared(self, (order) => order === 0),
    LessThan: compared(self, (order) => order < 0),
    LessThanEqual: compared(self, (order) => order <= 0),
    GreaterThan: compared(self, (order) => order > 0),
    GreaterThanEqual: compared(self, (order) => order >= 0),
  };
}

function compared(self: Version, answer: (order: number) => unknown): GoFunc {
  return func(['version'], (_env, other: Version | null) => {
    if (other) return answer(self.compare(other));
    throw new CallError('runtime error: invalid memory address or nil pointer dereference');
  });
}
