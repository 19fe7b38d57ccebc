import { relative } from 'node:path';
import { ConfigControl, placeText } from 'pegboard';
import type { Position, Scope } from 'pegboard';
import { ConfigOrigins } from '../../contracts/settings.ts';
import type { ConfigValue } from '../../contracts/settings.ts';

export interface ConfigFacts {
  readonly directory: string;
  readonly values: readonly ConfigValueFacts[];
  /** Keys of changes that are not saved. */
  readonly unsaved: readonly string[];
  readonly lastReload: ReloadFacts | undefined;
  readonly definitions: readonly DefinitionFacts[];
}
export interface ConfigValueFacts extends Omit<ConfigValue, 'place'> {
  /** `config.yaml:12:3`, from the configuration directory on, as is every place here. */
  readonly place?: string;
}
export interface ReloadFacts {
  readonly generation: number;
  readonly applied: boolean;
  readonly ms: number;
  readonly problems: readonly ConfigProblem[];
}
export interface ConfigProblem {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly message: string;
  readonly place?: string;
}
export interface DefinitionFacts {
  readonly kind: string;
  readonly name: string;
  readonly place?: string;
}

/** @throws GatewayError PLUGIN_MISSING if core-config is off */
export async function configFacts(scope: Scope<unknown>): Promise<ConfigFacts> {
  const control = scope.get(ConfigControl);
  const { directory } = control;
  const placed = (position: Position): { readonly place?: string } => {
    const place = placeText({
      ...position,
      ...(position.file !== undefined && { file: relative(directory, position.file) }),
    });
    return place === undefined || place === '' ? {} : { place };
  };
  const values = (await scope.get(ConfigOrigins).read()).map(({ place, ...value }) => ({
    ...value,
    ...(place !== undefined && placed(place)),
  }));
  const report = control.lastReport();
  return {
    directory,
    values,
    unsaved: values.filter(({ source }) => source === 'unsaved').map(({ path }) => path.join('.')),
    lastReload: report && {
      generation: report.generation,
      applied: report.applied,
      ms: report.ms,
      problems: report.issues.map(({ severity, code, message, file, line, column }) => ({
        severity,
        code,
        message,
        ...placed({
          ...(file !== undefined && { file }),
          ...(line !== undefined && { line }),
          ...(column !== undefined && { column }),
        }),
      })),
    },
    definitions: control
      .kinds()
      .flatMap(({ name: kind }) =>
        control.resources(kind).map(({ name, origin }) => ({ kind, name, ...placed(origin.locate([])) })),
      ),
  };
}
