import type { Requirement } from './requirement.ts';

/** Workflow definitions, their templates, runs and tools. */
export const WORKFLOWS: readonly Requirement[] = [
  {
    id: 'service.workflowNames',
    sentence: 'Workflow tools are named workflow_<workflow-name>, generated for every workflow definition.',
    tests: [
      'plugins/workflow/run/runWorkflow: is called as a tool: takes arguments, runs the steps in order, returns one document',
      'e2e/workflows: a file saved into the folder becomes a tool within a second, and its removal removes the tool',
    ],
  },
  {
    id: 'workflow.schema',
    sentence:
      'A workflow has name, description, args and at least one step; a step has id, tool, args, condition, store, allow_failure (allowFailure) and outputs.',
    tests: [
      'plugins/workflow/definition/workflowKind: accepts both spellings and every form',
      'plugins/workflow/definition/workflowKind: rejects ${what}',
      'plugins/workflow/definition/workflowKind: rejects long names and names of management tools',
    ],
  },
  {
    id: 'workflow.args',
    sentence: 'An argument has one of six types, required, a default of that type, a description.',
    tests: [
      'plugins/workflow/run/steps: are all checked at once, and the run is recorded',
      'plugins/workflow/run/steps: get their defaults, are absent when optional and null, and are passed on when unknown',
      'plugins/workflow/definition/workflowKind: rejects ${what}',
    ],
  },
  {
    id: 'workflow.condition',
    sentence:
      'A condition calls a tool or looks at an earlier step; expect (optional: without it a success) wants success or values by json_path; both forms are accepted in both places.',
    tests: [
      'plugins/workflow/run/steps: ${what}: ${status}',
      'plugins/workflow/definition/workflowKind: accepts both spellings and every form',
    ],
  },
  {
    id: 'workflow.templates',
    sentence:
      'Templates have Go syntax and fail on a missing key; roots are .input, .results (alias .context) and .vars.',
    tests: [
      'plugins/workflow/gotpl/vectors: prints and fails like Go: ${group}',
      'plugins/workflow/run/steps: name step, argument and position when a reference does not resolve',
      'plugins/workflow/run/steps: keep types of sole references at any depth, and render everything else as text',
      'plugins/workflow/run/steps: run a body per item, with each result under its number',
    ],
  },
  {
    id: 'workflow.allowFailure',
    sentence: 'A failure of a step with allow_failure does not fail the workflow.',
    tests: [
      'plugins/workflow/run/steps: fail on an isError result as on a thrown error, and allow_failure tolerates both',
      'e2e/workflows: read-all: runs a concurrent loop in which one file is missing',
    ],
  },
  {
    id: 'workflow.file',
    sentence: 'The file form has apiVersion, kind: Workflow, metadata and spec.',
    tests: [
      'plugins/store-file/load: reads resource form and flat form, .yaml and .yml',
      'e2e/workflows: each workflow has a row in the README, a tool, and arguments as a schema',
    ],
  },
  {
    id: 'workflow.available',
    sentence:
      'core_workflow_list says whether each is available: whether all tools its steps need are present.',
    tests: [
      'plugins/workflow/tools/tools: names missing tools of steps, conditions and nested workflows, with position and workflow chain',
      'e2e/workflows: a workflow whose server is stopped is listed as unavailable, and its calls are refused with the names',
      'e2e/callersWorkflows: are available and read-only to who has signed in there, who need not have listed its tools',
      'e2e/callersWorkflows: are not available to who has yet to sign in there, and say at which server and how',
    ],
  },
  {
    id: 'workflow.execution',
    sentence:
      'A run has an execution_id, one of the states running, completed, failed, cancelled, and a record of step results, timing and status.',
    tests: [
      'plugins/workflow/records/executions: are recorded before the first step, after each and at the end',
      'plugins/workflow/run/nestedFailure: is recorded by its execution, its name and its error, and the message reads from outside in',
      'plugins/workflow/records/executions: with many quick steps share record writes, wait for none and lose no step',
      'plugins/workflow/records/executions: that end because Pegboard stops are recorded up to their last step',
      'plugins/workflow/records/executions: left running by a crash are marked failed at the next start, with the reason',
      'e2e/workflows: ends as failed after the restart, with the reason and the completed steps',
      'heavy/executionObjects: shows each run to every process, with labels to select it by',
      'plugins/store-kubernetes/runs/runObject: show what ran and how it ended, never what was sent, answered or said',
    ],
  },
  {
    id: 'workflow.executionList',
    sentence:
      'core_workflow_execution_list pages by limit (50) and offset (0) and filters by status and workflow_name.',
    tests: [
      'plugins/workflow/records/executions: are listed newest first, by page, state and workflow, and wrong arguments are rejected by name',
    ],
  },
  {
    id: 'workflow.executionGet',
    sentence: 'core_workflow_execution_get takes execution_id, include_steps (true) and step_id.',
    tests: [
      'plugins/workflow/records/executions: are listed newest first, by page, state and workflow, and wrong arguments are rejected by name',
    ],
  },
  {
    id: 'core.workflows',
    sentence:
      'core_workflow_* manage workflow definitions: list, create, get, update, delete, validate, available.',
    tests: [
      'plugins/workflow/tools/tools: create a workflow that runs at once, list it, get it in both spellings, delete it',
      'plugins/workflow/tools/tools: update only the given fields, keeping comments, labels and order of the rest',
      'plugins/workflow/tools/tools: validate with every error and warning at its path, and the missing tools',
      'plugins/workflow/tools/tools: reject missing, invalid, taken and unknown values with a message that helps',
    ],
  },
  {
    id: 'core.workflowDelete',
    sentence: 'core_workflow_delete leaves running executions and history as they are.',
    tests: [
      'plugins/workflow/records/executions: continue and keep their records when core_workflow_delete deletes their workflow',
      'plugins/workflow/records/executions: keep the definition they started with while it is edited or deleted',
    ],
  },
  {
    id: 'core.workflowAnnotations',
    sentence: 'core_workflow_* have the annotations of the interface.',
    tests: ['plugins/workflow/tools/tools: have the annotations of the interface'],
  },
  {
    id: 'workflow.readOnly',
    sentence:
      'workflow_<name> declares no annotations; readOnlyHint is true when every step tool is read-only.',
    tests: [
      'plugins/workflow/tools/tools: derives readOnlyHint from every tool that may be called',
      'e2e/callersWorkflows: are among the tools that only read for who has signed in there, and for no other caller',
    ],
  },
  {
    id: 'preset.workflows',
    sentence: 'workflow and label select workflow tools.',
    tests: ['plugins/toolsets/toolsets: apply rules of every kind, exclude over include'],
  },
];
