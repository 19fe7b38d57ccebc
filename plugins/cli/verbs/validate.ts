import { optionsOf } from '../commonOptions.ts';
import { readFiles } from '../definitions/readDocuments.ts';
import { verdictHere, verdictOn } from '../definitions/definitionVerdict.ts';
import type { DefinitionVerdict } from '../definitions/definitionVerdict.ts';
import { Gateway } from '../gateway.ts';
import { printList } from '../output/print.ts';
import { verb } from '../verb.ts';

export const validate = verb({
  name: 'validate',
  summary: 'check definitions; nothing is written',
  options: [{ flags: '-f, --file <file>', description: 'YAML file; - is standard input', isList: true }],
  examples: ['pegboard validate -f release-notes.yaml', 'cat *.yaml | pegboard validate -f - -o json'],
  run: async (invocation) => {
    const { file = [], output } = optionsOf<{ readonly file?: readonly string[] }>(invocation);
    const { terminal } = invocation;
    const documents = await readFiles(file, terminal.input);
    const verdicts: DefinitionVerdict[] = [];
    const judge = async (gateway?: Gateway): Promise<void> => {
      for (const document of documents)
        verdicts.push(
          await (gateway === undefined || document.kind.tools === undefined
            ? verdictHere(invocation, document)
            : verdictOn(gateway, document)),
        );
    };
    if (documents.some(({ kind }) => kind.tools !== undefined)) await Gateway.connected(invocation, judge);
    else await judge();
    if (output === 'table' || output === 'wide')
      for (const { errors, warnings } of verdicts) {
        for (const text of errors) terminal.err(`${text}\n`);
        for (const text of warnings) terminal.err(`${text} (warning)\n`);
      }
    printList(
      invocation,
      'definitions',
      verdicts.map((verdict) => ({ ...verdict })),
      [
        { title: 'name', value: 'name' },
        { title: 'kind', value: 'kind' },
        { title: 'valid', value: 'valid' },
      ],
    );
    return verdicts.every(({ valid }) => valid) ? 0 : 1;
  },
});
