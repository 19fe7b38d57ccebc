import { isObject } from 'pegboard';
import type { Path } from '../../kit/definitions/beside.ts';
import { adviceFor } from './adviceFor.ts';
import type { Condition, Expectation } from './model.ts';
import { either, objectAt } from './spelling.ts';
import type { ReportFault } from './spelling.ts';

const KEYS = 'template tool args fromStep from_step expect expectNot expect_not all any not'.split(' ');
/** The expectation of a condition without `expect`. Source: requirement workflow.condition. */
const SUCCESS = { success: true };
const ONE_SOURCE = 'condition requires exactly one of template, tool, or fromStep';

/** @param at prefix of every message: `step 1 (fetch): ` */
export function readCondition(
  value: unknown,
  path: Path,
  at: string,
  fault: ReportFault,
): Condition | undefined {
  if (typeof value === 'string') return byTemplate(value, { path, at, fault });
  if (!isObject(value)) {
    fault(path, `${at}condition must be a template or an object with one of template, tool, or fromStep`);
    return undefined;
  }
  // The schema checks the keys of the outermost condition only.
  for (const key of Object.keys(value))
    if (!KEYS.includes(key))
      fault(
        [...path, key],
        `${at}condition: unknown key "${key}"; ${adviceFor('condition', key) ?? `known keys: ${KEYS.join(', ')}`}`,
      );
  const combined = ['all', 'any', 'not'].filter((word) => value[word] !== undefined);
  const fromStep = either(value, 'fromStep');
  const sources = [value['template'], value['tool'], fromStep.value].filter((one) => one !== undefined);
  if (combined.length + sources.length > 1) {
    const message =
      value['template'] !== undefined && combined.length === 0
        ? 'condition.template is mutually exclusive with tool/fromStep'
        : 'condition: tool and fromStep are mutually exclusive (set exactly one of template, tool, or fromStep)';
    fault(
      path,
      at + (combined.length > 0 ? 'condition: set exactly one of all, any, not or a source' : message),
    );
    return undefined;
  }
  const [word] = combined;
  if (word !== undefined)
    return readCombined(word as 'all' | 'any' | 'not', value[word], { path, at, fault });
  if (typeof value['template'] === 'string')
    return byTemplate(value['template'], { path: [...path, 'template'], at, fault }, path);
  const not = either(value, 'expectNot');
  const isBare = value['expect'] === undefined && not.value === undefined;
  const wanted = isBare ? SUCCESS : value['expect'];
  const expect = readExpectation(wanted, [...path, 'expect'], `${at}invalid expect: `, fault);
  const expectNot = readExpectation(not.value, [...path, not.key], `${at}invalid expectNot: `, fault);
  if (sources.length === 0) {
    fault(path, at + ONE_SOURCE);
    return undefined;
  }
  if (typeof value['tool'] === 'string' && value['tool'] !== '')
    return {
      from: 'tool',
      tool: value['tool'],
      args: objectAt(value, 'args') ?? {},
      expect,
      expectNot,
      path,
    };
  if (typeof fromStep.value === 'string' && fromStep.value !== '')
    return { from: 'step', step: fromStep.value, expect, expectNot, path };
  fault(path, at + ONE_SOURCE);
  return undefined;
}

interface Place {
  readonly path: Path;
  readonly at: string;
  readonly fault: ReportFault;
}

/** @param path of the condition */
function byTemplate(template: string, place: Place, path: Path = place.path): Condition {
  if (!template.includes('{{') && !/^(true|false)$/.test(template.trim())) {
    const text = `${place.at}condition: this text is neither true nor false, and is not a template`;
    place.fault(place.path, `${text}; write one, as in '{{ eq .input.name "x" }}'`);
  }
  return { from: 'template', template, path };
}

function readCombined(word: 'all' | 'any' | 'not', value: unknown, place: Place): Condition | undefined {
  const { path, at, fault } = place;
  const list: unknown[] = Array.isArray(value) ? value : [value];
  if (word !== 'not' && (!Array.isArray(value) || list.length === 0)) {
    fault([...path, word], `${at}condition.${word} must be a list of at least one condition`);
    return undefined;
  }
  const of = list.flatMap((one, index) => {
    const below = Array.isArray(value) ? [...path, word, index] : [...path, word];
    return readCondition(one, below, at, fault) ?? [];
  });
  return { from: word, of, path };
}

function readExpectation(
  value: unknown,
  path: Path,
  at: string,
  fault: ReportFault,
): Expectation | undefined {
  if (value === undefined) return undefined;
  if (!isObject(value)) {
    fault(path, `${at}it must be an object with success or jsonPath`);
    return undefined;
  }
  const jsonPath = either(value, 'jsonPath').value;
  const paths = isObject(jsonPath) ? jsonPath : {};
  const { success } = value;
  if (typeof success !== 'boolean' && Object.keys(paths).length === 0)
    fault(path, `${at}either success or jsonPath must be provided`);
  return { success: typeof success === 'boolean' ? success : undefined, jsonPath: paths };
}
