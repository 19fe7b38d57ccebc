import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { fieldText } from './argumentFields.ts';

/** The condition of a step in words: `step first succeeded and count is 3`; a template as it is. */
export function conditionText(condition: unknown): string {
  if (!isObject(condition)) return fieldText(condition);
  const { template, tool, args, all, any, not, expect } = condition;
  if (template !== undefined) return fieldText(template);
  for (const [list, word] of [
    [all, ' and '],
    [any, ' or '],
  ] as const)
    if (Array.isArray(list)) return list.map((one) => `(${conditionText(one)})`).join(word);
  if (not !== undefined)
    return `not ${[not]
      .flat()
      .map((one) => `(${conditionText(one)})`)
      .join(' and ')}`;
  const step = condition['fromStep'] ?? condition['from_step'];
  const sent = isObject(args) && Object.keys(args).length > 0 ? ` with ${fieldText(args)}` : '';
  const what = step === undefined ? `${fieldText(tool)}${sent}` : `step ${fieldText(step)}`;
  const unwanted = condition['expectNot'] ?? condition['expect_not'];
  const wanted = expect === undefined && unwanted === undefined ? { success: true } : expect;
  return [
    ...(isObject(wanted) ? [`${what} ${expectationText(wanted)}`] : []),
    ...(isObject(unwanted) ? [`not (${what} ${expectationText(unwanted)})`] : []),
  ].join(' and ');
}

function expectationText(expectation: JsonObject): string {
  const { success } = expectation;
  const paths = expectation['jsonPath'] ?? expectation['json_path'];
  const values = Object.entries(isObject(paths) ? paths : {});
  return [
    ...(success === undefined ? [] : [success === false ? 'failed' : 'succeeded']),
    ...values.map(([path, value]) => `has ${path} = ${fieldText(value)}`),
  ].join(' and ');
}
