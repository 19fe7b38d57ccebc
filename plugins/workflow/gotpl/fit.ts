import type { OperandNode } from './ast.ts';
import { printNode } from './ast.ts';
import { GoTime, Location } from './goTime.ts';
import { canBeNil, paramTypeName } from './signature.ts';
import type { ParamKind } from './signature.ts';
import type { State } from './state.ts';
import { Float, Int, isDict, isFlexible, NamedInt, TypedList, typeName } from './values.ts';
import { Version } from './version.ts';

interface Fitted {
  readonly value?: unknown;
  readonly message?: string;
}

// A constant takes the type of its parameter if its text can represent one.
export function fitConstant(node: OperandNode, kind: ParamKind): Fitted {
  const found = printNode(node);
  switch (kind) {
    case 'string':
      return node.type === 'string' ? { value: node.text } : { message: `expected string; found ${found}` };
    case 'bool':
      return node.type === 'bool' ? { value: node.value } : { message: `expected bool; found ${found}` };
    case 'int':
      if (node.type === 'number' && node.int !== undefined) return { value: Number(node.int) };
      return { message: `expected integer; found ${found}` };
    case 'duration':
      if (node.type === 'number' && node.int !== undefined) return { value: node.int };
      return { message: `expected integer; found ${found}` };
    case 'uint32':
      if (node.type === 'number' && node.uint !== undefined)
        return { value: Number(BigInt.asUintN(32, node.uint)) };
      return { message: `expected unsigned integer; found ${found}` };
    case 'float64':
      if (node.type === 'number' && node.float !== undefined) return { value: node.float };
      return { message: `expected float; found ${found}` };
    default:
      return { message: `can't handle ${found} for arg of type ${paramTypeName(kind)}` };
  }
}

/** Checks a value against a parameter and converts it to the form the function expects. */
export function fitValue(state: State, value: unknown, kind: ParamKind): unknown {
  if (kind === 'any') return value ?? null;
  if (kind === 'value') return value;
  if (value === undefined) {
    if (canBeNil(kind)) return null;
    throw state.error(`invalid value; expected ${paramTypeName(kind)}`);
  }
  const fitted = unwrap(value, kind, state.env.lenient);
  if (fitted !== undefined) return fitted;
  const got = value === null ? 'interface {}' : typeName(value);
  throw state.error(`wrong type for value; expected ${paramTypeName(kind)}; got ${got}`);
}

function unwrap(value: unknown, kind: ParamKind, lenient: boolean): unknown {
  switch (kind) {
    case 'string':
      return typeof value === 'string' ? value : undefined;
    case 'bool':
      return typeof value === 'boolean' ? value : undefined;
    case 'int':
      if (value instanceof Int && value.typeName === 'int') return Number(value.value);
      return isFlexible(value, lenient) ? value : undefined;
    case 'float64':
      return value instanceof Float ? value.value : typeof value === 'number' ? value : undefined;
    case 'map':
      return isDict(value) ? value : undefined;
    case 'list':
      if (value instanceof TypedList) return value.elementType === 'interface {}' ? value.items : undefined;
      return Array.isArray(value) ? value : undefined;
    case 'time':
      return value instanceof GoTime ? value : undefined;
    case 'version':
      return value instanceof Version && value.isPointer ? value : undefined;
    case 'duration':
      return value instanceof NamedInt && value.typeName === 'time.Duration' ? value.value : undefined;
    case 'location':
      return value instanceof Location ? value : undefined;
    default:
      return undefined;
  }
}
