import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';

const MARKS: Readonly<Record<string, string>> = { completed: '✓', failed: '✗', skipped: '–' };

/** A run of a workflow as lines: its state, then its steps with durations, inner steps indented. */
export function executionTree(execution: JsonObject): string {
  const { workflow, workflow_name: name = workflow, status, duration_ms: ms, error, steps } = execution;
  const head = `${markOf(status)} ${String(name)}  ${String(status)}  ${durationOf(ms)}`;
  return `${[head.trimEnd(), ...reasonLines(error, '  '), ...stepLines(steps, '  ')].join('\n')}\n`;
}

function stepLines(steps: unknown, indent: string): readonly string[] {
  if (!Array.isArray(steps)) return [];
  return steps.filter(isObject).flatMap((step) => {
    const { id, step_id: name = id, tool, status, duration_ms: ms, error } = step;
    const words = [String(name), tool, durationOf(ms)].filter((word) => word !== undefined && word !== '');
    const line = `${indent}${markOf(status)} ${words.map(String).join('  ')}`;
    return [line, ...reasonLines(error, `${indent}  `), ...stepLines(step['steps'], `${indent}  `)];
  });
}

function markOf(status: unknown): string {
  return MARKS[String(status)] ?? '…';
}
function durationOf(ms: unknown): string {
  if (typeof ms !== 'number') return '';
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
function reasonLines(error: unknown, indent: string): readonly string[] {
  if (error === undefined || error === null || error === '') return [];
  const text =
    isObject(error) && typeof error['message'] === 'string' ? error['message'] : JSON.stringify(error);
  return text.split('\n').map((line) => `${indent}${line}`);
}
