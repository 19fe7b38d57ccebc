import { byWord } from './byWord.ts';

/** The objects of a definition that have keys of their own. */
export type KeyPlace = 'workflow' | 'argument' | 'step' | 'forEach' | 'retry' | 'condition' | 'expect';

/** What to write for a key that other workflow languages have, or for one of its own with a wrong value; undefined for
 *  any other key. */
export function adviceFor(place: KeyPlace, key: string): string | undefined {
  return ADVICE[place].get(key.toLowerCase().replaceAll(/[_-]/g, ''));
}

const ONE_BY_ONE = 'leave it out: steps run in order, and those below parallel at the same time';
const BY_CALL = 'leave it out: a workflow runs when its tool workflow_<name> is called';
const CONDITION = `write condition: '{{ eq .input.name "x" }}'`;
const EXPECT_PATH = 'write jsonPath: {status: done}, with a path into the result and the value there';
const ARGS = 'write args: {path: "{{ .input.path }}"}';
const ON_FAILURE = 'write allowFailure: true to go on, or onFailure: [steps] beside steps of the workflow';
const RESULTS =
  'the result is kept as .results.<id>; for a part of it, write outputs: {name: "{{ .result.name }}"}';

/** Words of other languages in lower case without "_" and "-", after what to write for them. */
const ADVICE: Readonly<Record<KeyPlace, ReadonlyMap<string, string>>> = {
  workflow: byWord({
    'write args: {path: {type: string, required: true}}, what a caller gives':
      'args input inputs parameter parameters param params argument arguments inputschema schema inputparameters variables',
    'write steps: [{id: read, tool: x_server_tool, args: {…}}]':
      'step tasks task jobs job actions nodes stages stage flow do sequence pipeline',
    'write output: {text: "{{ .results.read }}"}': 'outputs result results return returns response',
    'write its fields beside name: steps, args, output': 'spec definition workflow template data',
    'give the fields themselves, not a text: name, args, steps': 'yaml json content source text',
    'leave it out: only files have it; give name, args and steps themselves': 'apiversion kind metadata',
    'leave it out: it is only told, not written': 'available registeredby',
    'write name': 'id workflowname',
    'write description': 'summary title documentation docs help',
    'write onFailure: [steps]': 'onerror catch failure errorhandler errorworkflow exceptions',
    'write finally: [steps]': 'always ensure cleanup onexit after',
    'write labels: {team: a}': 'tags annotations',
    'write timeout: 10m': 'timeout timeoutms timeoutseconds timeoutsec maxduration deadline timeoutminutes',
    'write it in a step: retry: {max: 3}': 'retry retries',
    'write it in a step: condition': 'condition if when',
    'write it as a step: {id: all, forEach: {…}} or {id: both, parallel: […]}': 'foreach parallel',
    'write the values into the steps, or outputs in a step': 'env vars environment globals constants',
    [BY_CALL]: 'on trigger triggers schedule cron entrypoint start startat runson',
    [ONE_BY_ONE]: 'dependson needs edges connections transitions order mode',
  }),
  argument: byWord({
    'write description': 'title summary help label',
    'write default': 'value defaultvalue initial',
    'write required: true, or a default': 'optional nullable mandatory',
    'write enum: [a, b]': 'options choices values allowed oneof anyof',
    'write sensitive: true': 'secret password private mask writeonly',
    'leave it out: only the type of a list or an object is checked, not what is in it':
      'items properties additionalproperties minitems maxitems uniqueitems',
    'leave it out: only type and enum are checked': 'minimum maximum minlength maxlength pattern format',
  }),
  step: byWord({
    [ARGS]:
      'args with input inputs parameter parameters param params argument arguments body payload data properties config kwargs',
    'write tool: with the exact name, such as x_files_read':
      'uses action use call run function func fn type operation method toolname ref task taskref activity command cmd do exec service component plugin',
    'write tool: with the exact name: a step calls one tool and does nothing else':
      'code script prompt llm model resource url http request expression',
    'leave it out: the name of the tool has the server in it, x_<server>_<tool>':
      'server mcpserver integration app',
    'write id': 'name key label stepid title',
    [CONDITION]: 'if when onlyif unless guard where condition filter runif conditions',
    [ONE_BY_ONE]:
      'dependson needs requires runafter next goto previous depends onsuccess then transition order',
    'write a step of its own with the opposite condition':
      'else otherwise switch branches case cases choices default',
    'write forEach: {items: "{{ .input.list }}", steps: [{id: one, tool: x_server_tool, args: {path: "{{ .vars.item }}"}}]}':
      'foreach loop each withitems items iterate map repeat over matrix withparam itemsfrom while',
    'write forEach: {items: …, steps: […]}, parallel: […] or a workflow of its own':
      'steps tasks subworkflow do',
    'write retry: {max: 3}':
      'until retries retrypolicy maxretries retrycount attempts maxattempts retryonfail',
    'write retry: {max: 3, delay: 1s}': 'retry retrydelay backoff retryinterval waitbetweentries',
    'write allowFailure: true':
      'continueonerror ignoreerrors ignoreerror continueonfail optional failfast ignorefailure',
    [ON_FAILURE]: 'onerror onfailure catch except rescue fallback errorhandler',
    [RESULTS]:
      'save saveas register storeas resultkey outputvar outputvariable assign result results outputkey resultpath as outputas set var returns return export publish',
    'write timeout: 30s': 'timeout timeoutms timeoutseconds timeoutsec deadline maxtime starttoclosetimeout',
    'leave it out: no step waits; retry has a delay': 'sleep delay wait pause',
    'write the values into args': 'env vars environment secrets',
  }),
  forEach: byWord({
    'write items: "{{ .input.list }}"':
      'items in list over collection array values itemsfrom source of foreach each from range input',
    'write as: item, and read it as .vars.item':
      'var item variable itemname itemvar name iterator key itemvariable loopvar',
    'write steps: [{id: one, tool: x_server_tool, args: {path: "{{ .vars.item }}"}}]':
      'steps do step body tool args run tasks actions task action with',
    'write concurrency: 4':
      'parallel parallelism maxconcurrency maxparallel limit batchsize concurrent batch',
    'write maxItems: 100': 'max maxiterations limititems',
    'write it beside forEach, in the same step': 'condition allowfailure outputs output retry timeout',
  }),
  retry: byWord({
    'write max: 3': 'attempts maxattempts count limit times retries maxretries maximumattempts tries number',
    'write delay: 1s':
      'interval wait backoff delayseconds delayms initialinterval initialdelay period sleep backoffseconds waitms seconds',
    'write factor: 2':
      'multiplier backofffactor exponent backoffcoefficient backoffmultiplier exponential strategy',
    'write maxDelay: 30s': 'maxinterval maximuminterval maxbackoff maxwait cap maxseconds',
    'write retryOn: [isError, transport, timeout]':
      'on onerror when condition retryon errors retryif if exceptions',
  }),
  condition: byWord({
    [`write template: '{{ eq .input.name "x" }}'`]:
      'if when expression expr value exists left right operator op equals eq ne gt lt script var type cel jsonata test check',
    'write fromStep: with the id of an earlier step': 'step stepid ref source result after',
    'write {success: true} or {jsonPath: {status: done}}': 'expect expectnot',
    'write expect: {jsonPath: {status: done}}':
      'jsonpath path match matches is equalto success expected status',
    'write all: [conditions]': 'and allof conditions',
    'write any: [conditions]': 'or anyof oneof',
    'write not: condition': 'unless none nor negate',
    [ARGS]: 'with input inputs parameters params arguments',
    'write tool: with the exact name': 'uses action call function',
  }),
  expect: byWord({
    [EXPECT_PATH]:
      'jsonpath path paths json equals value status result field fields match matches contains output body eq data exists',
    'write success: true or success: false': 'iserror ok failed succeeded error passed failure',
  }),
};
